import { accessSync, constants } from 'node:fs';
import type { TLSConfig } from '@temporalio/client';
import {
  type ClientConfigProfile,
  type ConfigDataSource,
  loadClientConfigProfile,
  toClientOptions,
} from '@temporalio/envconfig';
import { z } from 'zod';
import { plainWords } from '../shared/plain-words.ts';
import { certificatesIn, isKeyOf, PemError, privateKeyIn, readPem } from '../shared/tls/pem.ts';

/** The connection to a Temporal server, from Temporal's standard variables and configuration file. */
export interface ConnectionSettings {
  /** host:port; null when no server is set. */
  address: string | null;
  namespace: string | null;
  apiKey: string | null;
  /** False: without TLS. True: with the machine's certificate authorities and no client certificate. */
  tls: TLSConfig | boolean;
  /** Headers for every call. */
  metadata: Record<string, string>;
}

type Environment = Record<string, string | undefined>;

const metadataPrefix = 'TEMPORAL_GRPC_META_';
/** The standard variables, and those that determine the path of the configuration file. */
const isRead = (name: string) => /^(TEMPORAL_|HOME$|XDG_CONFIG_HOME$|APPDATA$)/.test(name);

/** The format of a server's address. */
export const temporalAddress = z
  .string()
  .regex(/^[^\s/]+:\d+$/, { error: 'must be host:port', abort: true })
  .refine((address) => isPort(Number(/\d+$/.exec(address)?.[0])), 'must have a port from 1 to 65535');

const isPort = (port: number) => port >= 1 && port <= 65_535;

/** A value that a gRPC header carries unchanged: visible ASCII with inner spaces. */
const headerValue = z
  .string()
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'may hold visible ASCII characters only');
const source = z.union([
  z.object({ path: z.string() }),
  z.object({ data: z.union([z.string(), z.instanceof(Uint8Array)]) }),
]);

/** The schema of a profile as read by the library, which does not check types. */
const profileSchema = z.object({
  address: temporalAddress.optional(),
  namespace: z.string().optional(),
  apiKey: headerValue.optional(),
  tls: z
    .object({
      disabled: z.boolean().optional(),
      serverName: z.string().optional(),
      clientCert: source.optional(),
      clientKey: source.optional(),
      serverCACert: source.optional(),
    })
    .optional(),
  grpcMeta: z
    .record(
      z
        .string()
        .regex(/^[0-9a-z_.-]+(?<!-bin)$/, 'must be a name of letters, digits, - and _ that does not end in -bin'),
      headerValue,
    )
    .optional(),
});

/** The variables for each part of a profile. */
const variables: Record<string, readonly string[]> = {
  address: ['TEMPORAL_ADDRESS'],
  namespace: ['TEMPORAL_NAMESPACE'],
  apiKey: ['TEMPORAL_API_KEY'],
  clientCert: ['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_CERT_DATA'],
  clientKey: ['TEMPORAL_TLS_CLIENT_KEY_PATH', 'TEMPORAL_TLS_CLIENT_KEY_DATA'],
  serverCACert: ['TEMPORAL_TLS_SERVER_CA_CERT_PATH', 'TEMPORAL_TLS_SERVER_CA_CERT_DATA'],
  serverName: ['TEMPORAL_TLS_SERVER_NAME'],
};

/** A mistake in the settings. The message is a sentence that begins with the name of the setting. */
class Mistake extends Error {}

/**
 * Reads the connection settings from Temporal's standard variables and from a profile in its configuration file
 * (`TEMPORAL_PROFILE`, `TEMPORAL_CONFIG_FILE`). A variable takes precedence over the profile. Certificates and keys are
 * read and checked. Source: https://docs.temporal.io/develop/environment-configuration
 *
 * @param env the environment of the process. An empty value counts as not set, but removes a header of the profile.
 * @returns the settings, or the mistakes, which do not repeat secrets.
 */
export function readConnectionSettings(
  env: Environment,
): { settings: ConnectionSettings } | { mistakes: [string, ...string[]] } {
  const given = standardVariables(env);
  try {
    const profile = checked(load(given), given);
    const { connectionOptions } = toClientOptions(withMaterial(profile, given));
    return {
      settings: {
        address: profile.address ?? null,
        namespace: profile.namespace ?? null,
        apiKey: profile.apiKey ?? null,
        tls: withoutEmpty(connectionOptions.tls ?? false),
        metadata: profile.grpcMeta ?? {},
      },
    };
  } catch (error) {
    if (error instanceof Mistake) return { mistakes: [error.message] };
    throw error;
  }
}

function standardVariables(env: Environment): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !isRead(name)) continue;
    if (name.startsWith(metadataPrefix)) {
      // The library replaces only the first underscore of a header's name.
      given[metadataPrefix + name.slice(metadataPrefix.length).toLowerCase().replaceAll('_', '-')] = value;
    } else if (value !== '') given[name] = value;
  }
  return given;
}

function load(given: Record<string, string>): ClientConfigProfile {
  const { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: name } = given;
  if (file !== undefined) checkReadable(file);
  const which = file === undefined ? "Temporal's configuration file" : `TEMPORAL_CONFIG_FILE (${file})`;
  try {
    return loadClientConfigProfile({ overrideEnvVars: given, configFileStrict: true });
  } catch (error) {
    // The library throws this for a file without any profile.
    if (error instanceof TypeError && name === undefined)
      return loadClientConfigProfile({ overrideEnvVars: given, disableFile: true });
    throw new Mistake(explainLoad(error, which, name));
  }
}

function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new Mistake(`TEMPORAL_CONFIG_FILE: cannot be read: ${file} (${code})`);
  }
}

/** Describes an error without the text of a syntax error, which shows lines of the file that may contain a key. */
function explainLoad(error: unknown, file: string, profile: string | undefined): string {
  if (!(error instanceof Error)) return `${file}: cannot be read`;
  const both = /^Cannot specify both (\w+)_path and/.exec(error.message)?.[1];
  if (both !== undefined)
    return `TEMPORAL_TLS_${both.toUpperCase()}_PATH: is set, and so is TEMPORAL_TLS_${both.toUpperCase()}_DATA (here or in ${file}); only one may be`;
  if (profile !== undefined && (error instanceof TypeError || /^Profile '.*' not found/s.test(error.message)))
    return `TEMPORAL_PROFILE: there is no profile '${profile}' in ${file}`;
  if (error.message.startsWith('Validation error: '))
    return `${file}: ${error.message.slice('Validation error: '.length)}`;
  if ('line' in error && 'column' in error)
    return `${file}: is not valid TOML (line ${error.line}, column ${error.column})`;
  return `${file}: cannot be read (${'code' in error ? error.code : 'it has another form'})`;
}

function checked(profile: ClientConfigProfile, given: Record<string, string>): z.infer<typeof profileSchema> {
  const result = profileSchema.safeParse(profile, { error: plainWords });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.map(String) ?? [];
  const [part = '', field = ''] = path;
  if (part === 'grpcMeta') throw new Mistake(`${headerName(field, given)}: ${issue?.message}`);
  throw new Mistake(`${settingOf(part === 'tls' ? field : part, given)}: ${issue?.message}`);
}

const headerName = (header: string, given: Record<string, string>) =>
  `${metadataPrefix}${header}` in given
    ? `${metadataPrefix}${header.toUpperCase().replaceAll('-', '_')}`
    : `grpc_meta.${header} in Temporal's configuration file`;

/** The name of the setting for error messages: the variable if it is set, otherwise the part of the profile. */
function settingOf(part: string, given: Record<string, string>): string {
  const variable = variables[part]?.find((name) => name in given);
  if (variable !== undefined) return variable;
  return `${part.replaceAll(/CA|[A-Z]/g, (letters) => `_${letters.toLowerCase()}`)} in Temporal's configuration file`;
}

/** Reads certificates and keys, checks them, and puts their content into the profile. */
function withMaterial(profile: z.infer<typeof profileSchema>, given: Record<string, string>): ClientConfigProfile {
  const { tls } = profile;
  if (tls === undefined || tls.disabled === true) return profile;
  const { clientCert, clientKey, serverCACert } = tls;
  const about = <T>(part: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (error instanceof PemError) throw new Mistake(`${settingOf(part, given)}: ${error.message}`);
      throw error;
    }
  };
  const ca = serverCACert && about('serverCACert', () => textOf(serverCACert));
  if (ca !== undefined) about('serverCACert', () => certificatesIn(ca));
  if (clientCert && !clientKey)
    throw new Mistake(`TEMPORAL_TLS_CLIENT_KEY_PATH: is required with ${settingOf('clientCert', given)}`);
  if (clientKey && !clientCert)
    throw new Mistake(`TEMPORAL_TLS_CLIENT_CERT_PATH: is required with ${settingOf('clientKey', given)}`);
  const cert = clientCert && about('clientCert', () => textOf(clientCert));
  const key = clientKey && about('clientKey', () => textOf(clientKey));
  if (cert !== undefined && key !== undefined) {
    const chain = about('clientCert', () => certificatesIn(cert));
    const privateKey = about('clientKey', () => privateKeyIn(key));
    if (!isKeyOf(privateKey, chain))
      throw new Mistake(`${settingOf('clientKey', given)}: is not the key of ${settingOf('clientCert', given)}`);
  }
  return {
    ...profile,
    tls: {
      ...tls,
      ...(cert === undefined ? {} : { clientCert: { data: cert } }),
      ...(key === undefined ? {} : { clientKey: { data: key } }),
      ...(ca === undefined ? {} : { serverCACert: { data: ca } }),
    },
  };
}

const textOf = (from: ConfigDataSource): string => {
  if ('path' in from) return readPem(from.path);
  return typeof from.data === 'string' ? from.data : Buffer.from(from.data).toString();
};

/** Removes undefined options; TLS without any options is `true`. */
function withoutEmpty(tls: TLSConfig | boolean | null): TLSConfig | boolean {
  if (typeof tls !== 'object' || tls === null) return tls ?? false;
  const set = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
  return Object.keys(set).length === 0 ? true : set;
}
