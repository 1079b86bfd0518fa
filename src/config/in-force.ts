import { join } from 'node:path';
import type { Setting } from '../api/settings-routes.ts';
import type { Config } from './config.ts';
import { defaultOf, type VariableName, variables } from './environment.ts';
import { shownAddress } from './shown-address.ts';

/**
 * The settings of this process and where each comes from. Values of secrets are never among them.
 *
 * @param fromFile the names of the variables that were read from the .env file
 */
export function settingsInForce(
  config: Config,
  env: Record<string, string | undefined>,
  fromFile: ReadonlySet<string>,
): Setting[] {
  const { startedBy } = config;
  const files = startedBy ? new Set([...fromFile, ...startedBy.fromFile]) : fromFile;
  return (Object.keys(variables) as VariableName[]).map((name) => {
    const { secret = false, meaning, roles } = variables[name];
    const { value, source } = originOf(name, config, env, files);
    return {
      name,
      // A secret's length or hash would help to guess it.
      value: secret || value === null ? null : shownAddress(name, value),
      source,
      secret,
      roles: [...roles],
      description: plainText(meaning),
    };
  });
}

function originOf(
  name: VariableName,
  config: Config,
  env: Record<string, string | undefined>,
  fromFile: ReadonlySet<string>,
): Pick<Setting, 'source'> & { value: string | null } {
  const given = env[name];
  if (config.startedBy?.generated.includes(name)) return { value: null, source: 'generated' };
  if (given) return { value: given, source: fromFile.has(name) ? 'env_file' : 'environment' };
  const other = generated(name, config) ?? ofProfile(name, config);
  if (other !== null) return other;
  const value = computed(name, config) ?? defaultOf(name) ?? variables[name].shownDefault ?? null;
  return { value, source: value === null ? 'none' : 'default' };
}

type Origin = ReturnType<typeof originOf>;

/** What `npm start` makes for itself: its servers, its key and its token. */
function generated(name: VariableName, config: Config): Origin | null {
  const isMissing: Partial<Record<VariableName, boolean>> = {
    DATABASE_URL: config.databaseUrl === null,
    TEMPORAL_ADDRESS: config.temporal.address === null,
    SECRETS_KEY: config.secretsKey === null,
    ADMIN_TOKEN: config.adminTokens.length === 0,
  };
  return config.role === 'all' && isMissing[name] ? { value: null, source: 'generated' } : null;
}

/** What Temporal's configuration file sets. */
function ofProfile(name: VariableName, { temporal }: Config): Origin | null {
  const values: Partial<Record<VariableName, string | null>> = {
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace === defaultOf('TEMPORAL_NAMESPACE') ? null : temporal.namespace,
    TEMPORAL_API_KEY: temporal.apiKey,
  };
  const value = values[name] ?? null;
  return value === null ? null : { value, source: 'profile' };
}

/** Defaults that depend on the role or on other settings. */
function computed(name: VariableName, config: Config): string | null {
  const { delivery, maintenance } = config;
  const ownBackups = config.isAll && maintenance.backup.url === null ? join(config.dataDir, 'backups') : null;
  const values: Partial<Record<VariableName, string | null>> = {
    MAX_BODY_BYTES_IN_FLIGHT: String(config.maxBodyBytesInFlight),
    DELIVERY_ALLOWED_NETWORKS: delivery.allowedNetworks.length === 0 ? null : delivery.allowedNetworks.join(','),
    LOG_LEVEL: config.logLevel,
    SHUTDOWN_DRAIN: `${config.shutdownDrainMs / 1000}s`,
    METRICS_PORT: config.metricsPort === null ? null : String(config.metricsPort),
    BACKUP_DIR: maintenance.backup.dir ?? ownBackups,
    TEMPORAL_TLS: config.temporal.address !== null && config.temporal.tls ? 'true' : null,
  };
  return values[name] ?? null;
}

/** The text of Markdown links instead of the links. */
const plainText = (markdown: string) => markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
