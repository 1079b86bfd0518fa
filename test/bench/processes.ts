import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { openDataDir } from '../../src/embedded/data-dir.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { startTemporal } from '../../src/embedded/temporal.ts';
import { createLog } from '../../src/shared/log.ts';
import { startArguments } from '../support/start-command.ts';
import { temporalProgram } from '../support/temporal-program.ts';
import { endWithThis } from './children.ts';

/** A folder that the database's user can enter. `remove` deletes it. */
export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  await chmod(path, 0o755);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A temporary PostgreSQL as in `npm start`. Its data is removed when it is stopped. */
export async function temporaryPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await temporaryFolder();
  const dataDir = openDataDir(folder.path);
  const postgres = await startPostgres({ dataDir, log: createLog('warn'), onProgress: () => undefined });
  return {
    url: postgres.url,
    async stop() {
      await postgres.stop();
      dataDir.release();
      await folder.remove();
    },
  };
}

/** A temporary Temporal as in `npm start`. Its data is removed when it is stopped. */
export async function temporaryTemporal(uiPort: number): Promise<{ address: string; stop(): Promise<void> }> {
  const folder = await temporaryFolder();
  const dataDir = openDataDir(folder.path);
  const program = await temporalProgram(console.log);
  const server = { dataDir, program, namespace: 'default', uiPort, retentionHours: 72 };
  const temporal = await startTemporal({ ...server, log: createLog('warn') });
  return {
    address: temporal.address,
    async stop() {
      await temporal.stop();
      dataDir.release();
      await folder.remove();
    },
  };
}

export const adminToken = 'bench-admin-token';
/** The first of a thousand ports, which none of the servers chooses. */
const gatewayPorts = 28_000;

export interface GatewayProcess {
  baseUrl: string;
  /** Its processes, or those whose children they are. */
  pids: readonly number[];
  /** The balancer before several processes. Its CPU time counts apart. */
  balancerPids?: readonly number[];
  stop(): Promise<void>;
}

/**
 * Starts a role of the gateway as a separate process and waits until it accepts webhooks.
 *
 * @param checkout the folder of the gateway's package.json; null for this one
 */
export async function startGatewayProcess(
  role: 'all' | 'api',
  environment: Record<string, string>,
  checkout: string | null = null,
): Promise<GatewayProcess> {
  // Below the ports of outgoing connections, of which the gateway makes some before it listens.
  const port = await freePort([], gatewayPorts);
  const child = endWithThis(
    spawn(process.execPath, startArguments(role, checkout ?? undefined), {
      env: { ...process.env, PORT: String(port), ADMIN_TOKEN: adminToken, ...environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const baseUrl = `http://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the gateway ended with code ${child.exitCode}`);
    const ready = await fetch(`${baseUrl}/health/ready`).then(
      (r) => r.ok,
      () => false,
    );
    if (ready) break;
    await sleep(100);
  }
  return {
    baseUrl,
    pids: [child.pid ?? 0],
    async stop() {
      // A process that has already ended emits no further exit event.
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGINT');
      await once(child, 'exit');
    },
  };
}

/** Starts an api of this checkout that has no Temporal. */
export const startApiProcess = (databaseUrl: string): Promise<GatewayProcess> =>
  startGatewayProcess('api', {
    ...{ DATABASE_URL: databaseUrl, SECRETS_KEY: randomBytes(32).toString('base64'), LOG_LEVEL: 'warn' },
  });

/** Creates an account for the load and returns its URL and its secret. */
export async function createAccount(
  baseUrl: string,
  fields: Record<string, unknown>,
): Promise<{ url: string; secret: string; adminUrl: string }> {
  const slug = `bench-${randomUUID()}`;
  const { provider = 'generic' } = fields;
  const secret = 'bench-signing-secret';
  const response = await fetch(`${baseUrl}/admin/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-admin-token': adminToken },
    body: JSON.stringify({
      account_slug: slug,
      app_key: 'bench',
      ...(provider === 'generic' ? { signing_secret_current: secret } : {}),
      ...{ ...fields, provider },
    }),
  });
  if (response.status !== 201) throw new Error(`no account: ${await response.text()}`);
  const { id } = z.object({ id: z.string() }).parse(await response.json());
  return { url: `${baseUrl}/${provider}/${slug}`, secret, adminUrl: `${baseUrl}/admin/accounts/${id}` };
}
