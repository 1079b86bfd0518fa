import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDataDir } from '../../src/embedded/data-dir.ts';
import { freePort, rememberPort } from '../../src/embedded/ports.ts';
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded/postgres.ts';
import { answers } from '../../src/embedded/temporal-namespace.ts';
import { createLog } from '../../src/shared/log.ts';
import { temporaryFolder } from './gateway-process.ts';
import { kill } from './kill.ts';
import { queryOnce } from './one-connection.ts';
import { copyPrepared } from './prepared.ts';
import { temporalProgram } from './temporal-program.ts';
import { until } from './until.ts';

/** A server of one test, which can stop it and start it again with the same data at the same address. */
export interface OwnServer {
  /** URL or host:port; the same after each start. */
  address: string;
  /** Starts the server. Does nothing while it runs. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const log = createLog('fatal');
/**
 * A free port for a server that is stopped and started again: outside of the ranges that gateways, the test of upgrades and
 * outgoing connections choose from, so that nothing takes it while the server is stopped.
 */
export const ownPort = () => freePort([], 21_000 + Math.floor(Math.random() * 5_000));

/** A PostgreSQL that runs until the end of the test. Its database has the gateway's schema. */
export async function ownPostgres(): Promise<OwnServer & { kill(): Promise<void> }> {
  const folder = temporaryFolder('test');
  await copyPrepared('migrated', folder);
  const dataDir = openDataDir(folder);
  rememberPort(dataDir.path, 'postgres', await ownPort(), log);
  const started = () => startPostgres({ dataDir, log, onProgress: () => undefined });
  let server: EmbeddedPostgres | null = await started();
  const { url } = server;
  const stop = async () => {
    await server?.stop();
    server = null;
  };
  onTestFinished(async () => {
    await stop();
    dataDir.release();
  });
  return {
    address: url,
    async start() {
      server ??= await started();
      if (server.url !== url) throw new Error(`PostgreSQL came back at another address: ${server.url}`);
      await queryOnce(url, 'select 1');
    },
    stop,
    /** Kills the server by SIGKILL. It is restarted automatically. */
    async kill() {
      const pid = server?.pid();
      kill(pid);
      await until('PostgreSQL is back', async () => server?.pid() !== pid && (await queryOnce(url, 'select 1')), {
        retryErrors: true,
      });
    },
  };
}

/** A Temporal that runs until the end of the test. */
export async function ownTemporal(): Promise<OwnServer> {
  const server = await startOwnTemporal();
  onTestFinished(() => server.stop());
  return server;
}

/** A Temporal that runs until it is stopped. Not the embedded server, which may restart on another port. */
export async function startOwnTemporal(): Promise<OwnServer> {
  const program = await temporalProgram(() => undefined);
  const folder = temporaryFolder('test');
  const port = await ownPort();
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--headless'];
  args.push('--db-filename', join(folder, 'temporal.db'), '--log-level', 'never');
  // A server that is killed loses nothing without `synchronous`, and does not wait for a busy disk.
  args.push('--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=off');
  let child: ChildProcess | null = null;
  const launch = () => spawn(program, args, { env: {}, cwd: folder, stdio: 'ignore' });
  const server: OwnServer = {
    address: `127.0.0.1:${port}`,
    async start() {
      if (child) return;
      child = launch();
      await until(
        'Temporal answers',
        () => {
          // The server ends when a port that it chose for itself was taken before it listened.
          if (child && hasEnded(child)) child = launch();
          return answers(server.address);
        },
        { retryErrors: true },
      );
    },
    async stop() {
      const ending = child;
      child = null;
      if (!ending || hasEnded(ending)) return;
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      ending.kill('SIGTERM');
      const late = setTimeout(() => ending.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(late);
    },
  };
  await server.start();
  return server;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;
