import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { environment } from '../../src/config/environment.ts';

/** The text of a file of the project, by its path from the root. */
export const readProjectFile = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The names of all variables that the gateway reads, in its order. */
export function settingNames(): string[] {
  return Object.keys(environment.shape);
}

/** The variables that `.env.example` sets, including empty ones. */
export function exampleEnv(): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseEnv(readProjectFile('.env.example')))) values[name] = value ?? '';
  return values;
}

const serviceSchema = z.looseObject({
  image: z.string(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  networks: z.record(z.string(), z.object({ ipv4_address: z.string() })).optional(),
  profiles: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  cpu_shares: z.number().optional(),
  restart: z.string().optional(),
  deploy: z.object({ replicas: z.string() }).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  healthcheck: z.looseObject({ disable: z.boolean().optional(), test: z.array(z.string()).optional() }).optional(),
});
const composeSchema = z.looseObject({
  services: z.record(z.string(), serviceSchema),
  networks: z.object({
    default: z.object({
      ipam: z.object({ config: z.array(z.object({ subnet: z.string(), gateway: z.string(), ip_range: z.string() })) }),
    }),
  }),
  volumes: z.record(z.string(), z.unknown()),
});

export type Service = z.infer<typeof serviceSchema>;

export const composeText = () => readProjectFile('docker-compose.yml');

/** The parsed compose file with resolved merge keys. */
export const parseCompose = (text = composeText()): unknown => parse(text, { merge: true });

/**
 * The compose file with its variables filled in, as `docker compose` does with an .env file.
 *
 * @throws Error with the message in the file if a required variable is not set
 */
export function compose(env: Record<string, string>) {
  return composeSchema.parse(interpolated(parseCompose(), env));
}

function interpolated(value: unknown, env: Record<string, string>): unknown {
  if (typeof value === 'string') return interpolatedText(value, env);
  if (Array.isArray(value)) return value.map((item) => interpolated(item, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, interpolated(item, env)]));
}

/** Source: https://docs.docker.com/reference/compose-file/interpolation/ (the forms that this project uses, no others) */
function interpolatedText(text: string, env: Record<string, string>): string {
  return text.replaceAll(
    /\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}|\$/g,
    (whole, name?: string, form?: string, rest = '') => {
      if (whole === '$$') return '$';
      if (name === undefined) throw new Error(`a bare $ in: ${text}`);
      const value = env[name] ?? '';
      if (value !== '') return value;
      if (form === '-') return rest;
      throw new Error(form === '?' ? rest : `${name} is neither set nor has a default`);
    },
  );
}

/** Variables that only docker compose reads, in addition to the settings. */
export const composeVariables = [
  'POSTGRES_PASSWORD',
  'GATEWAY_POSTGRES_PASSWORD',
  'TEMPORAL_POSTGRES_PASSWORD',
  'GATEWAY_DATABASE',
  'API_REPLICAS',
  'WORKER_REPLICAS',
  'SUBNET_PREFIX',
  'PROXY_IN_FRONT',
  'PROMETHEUS_PORT',
  'GRAFANA_PORT',
  'GRAFANA_PASSWORD',
];
