import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { adminClient } from './admin-client.ts';
import { migratedDatabase } from './database.ts';
import { childrenOf } from './descendants.ts';
import { spawnGateway, temporaryFolder } from './gateway-process.ts';
import { watchAnswersOf } from './leaks/watch.ts';
import { copyPrepared } from './prepared.ts';

/** A data folder as after a first start, so that a start on it creates no database and migrates nothing. */
export async function startedFolder(): Promise<string> {
  const folder = temporaryFolder();
  await copyPrepared('started', folder);
  return folder;
}

/** Settings of the role `all` for the servers of the test run and a new database, instead of embedded servers. */
export const sharedServers = async (): Promise<Record<string, string>> => ({
  DATABASE_URL: await migratedDatabase(),
  TEMPORAL_ADDRESS: inject('temporalAddress'),
  TEMPORAL_TASK_QUEUE: `all-${randomBytes(6).toString('hex')}`,
});

/**
 * Starts the role `all` and waits until it prints that it has started.
 *
 * @param checkout the folder of the release to start, by default this one
 */
export async function startWholeGateway(dataDir: string, variables: Record<string, string> = {}, checkout?: string) {
  const gateway = spawnGateway('all', { PORT: '0', ...variables, DATA_DIR: dataDir }, [], [], checkout);
  await gateway.printed(/Ctrl-C stops everything/);
  const shown = (pattern: RegExp) => pattern.exec(gateway.stdout())?.[1] ?? '';
  const baseUrl = shown(/^ {2}Gateway +(http:\S+)$/m);
  const stopWatching = watchAnswersOf(baseUrl);
  gateway.exited.then(stopWatching, stopWatching);
  const adminToken = shown(/^ {2}Admin token +(\S+)$/m);
  return {
    ...gateway,
    dataDir,
    baseUrl,
    adminToken,
    webUiUrl: shown(/^ {2}Temporal UI +(\S+)$/m),
    admin: adminClient(baseUrl, adminToken),
    /** The three example commands that the start prints. */
    curls: [...gateway.stdout().matchAll(/^ {2}(curl .*)$/gm)].map(([, line]) => line ?? ''),
    /** The pid of an embedded server's main process. Throws if it is not running. */
    server(name: 'postgres' | 'temporal') {
      if (name === 'postgres')
        return Number.parseInt(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8'), 10);
      const found = childrenOf(gateway.pid).find(({ command }) => command.includes(' server start-dev '));
      if (!found) throw new Error(`there is no Temporal; the gateway says: ${gateway.stderr().slice(-3000)}`);
      return found.pid;
    },
    /** The pid of its api or worker; null while it is being restarted. */
    program: (name: 'api' | 'worker') =>
      childrenOf(gateway.pid).find(({ command }) => command.includes(`src/main.ts ${name} `))?.pid ?? null,
  };
}

/** A gateway as started by `npm start`, with the servers of its data folder. */
export type WholeGateway = Awaited<ReturnType<typeof startWholeGateway>>;
