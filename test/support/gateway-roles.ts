import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { inject } from 'vitest';
import { type AdminClient, adminClient } from './admin-client.ts';
import { migratedDatabase } from './database.ts';
import { type GatewayProcess, spawnGateway } from './gateway-process.ts';
import { watchAnswersOf } from './leaks/watch.ts';
import { queryOnce } from './one-connection.ts';
import { roleHere } from './role-here.ts';
import type { RunningRole } from './running-role.ts';
import { randomSecretsKey, secretText } from './secrets.ts';
import { until } from './until.ts';

export interface Api extends RunningRole {
  baseUrl: string;
  admin: AdminClient;
}

export type ApiProcess = Api & GatewayProcess;

const adminToken = secretText('admin-token-of-processes');

/** The separate processes of one gateway, on existing servers. */
export function gatewayRoles(options: {
  databaseUrl: string;
  temporalAddress?: string;
  variables?: Record<string, string>;
}) {
  const { databaseUrl } = options;
  const variables: Record<string, string> = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: options.temporalAddress ?? inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `process-${randomBytes(6).toString('hex')}`,
    SECRETS_KEY: randomSecretsKey().toString('base64'),
    ADMIN_TOKEN: adminToken,
    DELIVERY_ALLOWED_NETWORKS: '127.0.0.0/8',
    PORT: '0',
    // No balancer has to notice that an api stops.
    SHUTDOWN_DRAIN: '0s',
    ...options.variables,
  };
  return {
    /** The settings that all roles share. */
    variables,
    databaseUrl,
    async migrate() {
      const process = spawnGateway('migrate', variables);
      const { code } = await process.exited;
      return { code, stdout: process.stdout(), stderr: process.stderr() };
    },
    startApi: (more?: Record<string, string>, within?: string[]) =>
      asApi(spawnGateway('api', { ...variables, ...more }, [], within)),
    startWorker: (more?: Record<string, string>, within?: string[]) =>
      asWorker(spawnGateway('worker', { ...variables, ...more }, [], within)),
    /** Runs the api inside the test's process, which takes far less time: see `role-here.ts`. */
    apiHere: (more?: Record<string, string>) => asApi(roleHere('api', { ...variables, ...more })),
    workerHere: (more?: Record<string, string>) => asWorker(roleHere('worker', { ...variables, ...more })),
    /** Runs one statement on a new connection and returns its rows. */
    query: <Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) =>
      queryOnce<Row>(databaseUrl, sql, values),
  };
}

export type Roles = ReturnType<typeof gatewayRoles>;

/** The processes of a gateway on a new database. */
export const migratedRoles = async (variables: Record<string, string>): Promise<Roles> =>
  gatewayRoles({ databaseUrl: await migratedDatabase(), variables });

/** Waits until the api is ready. */
async function asApi<T extends RunningRole>(role: T): Promise<T & Api> {
  const [, port] = await role.printed(/"port":(\d+),.*"msg":"api listening"/, 'stderr');
  const baseUrl = `http://127.0.0.1:${port}`;
  const stopWatching = watchAnswersOf(baseUrl);
  role.exited.then(stopWatching, stopWatching);
  await until('the api is ready', async () => (await fetch(`${baseUrl}/health/ready`)).ok, { retryErrors: true });
  return { ...role, baseUrl, admin: adminClient(baseUrl, adminToken) };
}

/** Waits until the worker runs. */
async function asWorker<T extends RunningRole>(role: T): Promise<T> {
  await role.printed(/"msg":"worker running"/, 'stderr');
  return role;
}

export interface EventRow extends pg.QueryResultRow {
  id: string;
  status: string;
  delivery_status: string;
  generation: number;
  started_generation: number;
  attempts: number;
  run_id: string | null;
}

export const eventRows = (roles: Roles) =>
  roles.query<EventRow>(
    'select id, status, delivery_status, generation, started_generation, attempts, run_id from events order by id',
  );

export interface Claim extends pg.QueryResultRow {
  event_id: string;
  claim_token: string;
}

/** The claims in force, by event id. */
export async function claims(roles: Roles): Promise<Map<string, Claim>> {
  const rows = await roles.query<Claim>(
    'select event_id, claim_token from event_queue where claim_token is not null and claimed_until > now()',
  );
  return new Map(rows.map((claim) => [claim.event_id, claim]));
}

/** The recorded attempts, in the order of the events' ids. */
export const attempts = (roles: Roles) =>
  roles.query<{ event_id: string; started_at: Date }>(
    'select event_id, started_at from delivery_attempts order by event_id',
  );

/** Waits until there are `count` events, all delivered, each with its workflow. */
export function allDelivered(roles: Roles, count: number, limitMs?: number): Promise<EventRow[]> {
  const states = async () => {
    const rows = await eventRows(roles);
    const done = rows.filter(
      (row) =>
        row.delivery_status === 'delivered' && row.status === 'enqueued' && row.started_generation === row.generation,
    );
    if (rows.length === count && done.length === count) return rows;
    throw new Error(
      `${rows.length} of ${count} events, ${done.length} done; one of the others: ${JSON.stringify(rows.find((row) => !done.includes(row)))}`,
    );
  };
  return until(`${count} events are delivered and have their workflows`, states, { limitMs, retryErrors: true });
}
