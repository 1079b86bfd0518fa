import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import type { Log } from '../shared/log.ts';
import { StartError } from '../shared/start-error.ts';
import { type StopSignals, startChild } from './child.ts';
import type { DataDir } from './data-dir.ts';
import { explainFileError } from './file-error.ts';
import { endForeign, listensOn, pidsWhere, workingFolderOf } from './os-process.ts';
import { freePort, rememberedPort, rememberPort, wasPortTaken } from './ports.ts';
import { lowerPriority } from './priority.ts';
import { serverLog } from './server-log.ts';
import { type Probe, type Start, type SupervisedServer, startSupervised } from './supervised-server.ts';
import { reduceVisibilityIndexes } from './temporal-indexes.ts';
import { answers, keepClosedWorkflows } from './temporal-namespace.ts';

export type EmbeddedTemporal = SupervisedServer & {
  /** host:port of the gRPC API. */
  address: string;
  /** The origin of the Web UI. */
  uiUrl: string;
};

type StartOptions = {
  dataDir: DataDir;
  /** From `findTemporalProgram`. */
  program: string;
  namespace: string;
  /** The preferred port of the Web UI. Another one is used when it is taken. */
  uiPort: number;
  /** How long closed workflows are kept. */
  retentionHours: number;
  log: Log;
  /** False keeps the usual CPU priority. By default it is below PostgreSQL and ingestion. */
  lowered?: boolean;
  /**
   * False: its data need not survive a power failure, and no call waits until the disk has written it. By default only the
   * last transactions may be lost.
   */
  durable?: boolean;
};

/**
 * The server gets only the name of its file, in its working folder. It puts the name into a URI without escaping it, so that a `#`,
 * `?` or `%` in a path would make it open another file.
 */
const databaseName = 'temporal.db';
const usualPort = 7233;
const basePort = 17233;
const uiBasePort = 18233;
/** A free port may be taken before the server listens. */
const startTries = 10;
const readyLimitMs = 120_000;
const stopSignals: StopSignals = { signal: 'SIGTERM', limitMs: 10_000, insistWith: 'SIGKILL' };

/**
 * One core is left to the gateway and PostgreSQL at all times. On two cores, a workflow then also takes a tenth less
 * processor time (measured).
 */
const threads = Math.max(1, availableParallelism() - 1);

/**
 * The heap may grow to three times what is in use before Go collects its garbage, instead of to twice. Collections took
 * 11.6 % of the server's processor time under load, and take 5.4 %. With the smaller cache below, its peak under load
 * is no higher (docs/decisions/what-a-workflow-costs.md).
 */
const garbagePercent = 200;

const dynamicSettings = [
  // Sends the first activity with the response to the workflow task. Off by default in server 1.29.
  'system.enableActivityEagerExecution=true',
  // With one or a few worker processes, more partitions only cause more polling.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // A worker that hangs keeps its calls open, and gets tasks that it does not begin, until the server closes its
  // connection: after this time without traffic, and an unanswered ping. By default 60 s and 10 s.
  'frontend.keepAliveTime="10s"',
  'frontend.keepAliveTimeout="5s"',
  // The development server reads the search attributes of the namespace again for each start and upsert.
  'system.forceSearchAttributesCacheRefreshOnRead=false',
  // What the lists show is written once a second, so that a workflow that ends within it is written once instead of twice.
  'history.visibilityProcessorMaxPollRPS=1',
  'history.visibilityTaskBatchSize=1000',
  // The server keeps the state of workflows in memory, by default of 128,000: also of those that have ended, for an hour.
  // A worker keeps at most a thousand, too. One that is not there is read from the database for its next task.
  'history.hostLevelCacheMaxSize=1000',
];
/** How long the server waits for another process that writes to its file: the gateway, when it changes the indexes. */
const busyMs = 10_000;
/**
 * 32 MB of journal before its pages are written to the database, in the place of 4. The server has one connection, and
 * each checkpoint keeps it waiting for the disk: under load that was several times a second.
 */
const checkpointPages = 8_000;
/**
 * Three times the throughput of the default journal (measured). A power failure may lose the last transactions; the
 * gateway restores them from its rows.
 */
const pragmas = (durable: boolean) => [
  'journal_mode=wal',
  `synchronous=${durable ? 'normal' : 'off'}`,
  `busy_timeout=${busyMs}`,
  `wal_autocheckpoint=${checkpointPages}`,
];

/**
 * Starts a Temporal development server on the data folder and keeps it running on `127.0.0.1` until `stop()`.
 * Afterwards the namespace exists.
 *
 * @throws StartError with advice. No process is left running then.
 */
export async function startTemporal(options: StartOptions): Promise<EmbeddedTemporal> {
  try {
    return await started(options);
  } catch (error) {
    throw explainFileError(options.dataDir.path, error);
  }
}

async function started(options: StartOptions): Promise<EmbeddedTemporal> {
  const folder = options.dataDir.path;
  const database = join(folder, databaseName);
  const isNew = !existsSync(database);
  const output = serverLog(join(folder, 'temporal.log'));

  const startOn = (port: number, uiPort: number): Promise<Start> =>
    startSupervised({
      name: 'Temporal',
      launch: async () => {
        await stopOrphans(folder);
        if (existsSync(database)) reduceIndexes(database, options.log);
        const child = startChild(
          options.program,
          serverArgs({ port, uiPort, namespace: options.namespace, durable: options.durable ?? true }),
          {
            // Without the user's TEMPORAL_* variables and profiles, which are for other servers.
            env: { GOMAXPROCS: String(threads), GOGC: String(garbagePercent) },
            cwd: folder,
            output,
            onGatewayExit: stopSignals.signal,
          },
        );
        // A burst of workflows must not delay webhooks and first attempts.
        if (child.pid !== null && options.lowered !== false) lowerPriority(child.pid, options.log);
        return child;
      },
      probe: (pid) => probe(pid, port),
      readyLimitMs,
      stop: stopSignals,
      log: options.log,
    });

  for (let tried = 1; ; tried += 1) {
    // Before choosing ports, because orphaned servers may still hold the previous ones.
    await stopOrphans(folder);
    const port = await freePort([usualPort, rememberedPort(folder, 'temporal')], basePort);
    const uiPort = await freePort([options.uiPort, rememberedPort(folder, 'temporal-ui')], uiBasePort);
    const start = await startOn(port, uiPort);
    if (!start.started) {
      if (tried < startTries && (await wasPortTaken([port, uiPort], output.tail(8)))) continue;
      throw new StartError(failureMessage(start.why, database, output.path, output.tail(8)));
    }
    const address = `127.0.0.1:${port}`;
    try {
      // Its first start has created the file.
      if (isNew) reduceIndexes(database, options.log);
      await keepClosedWorkflows(address, options.namespace, options.retentionHours);
      rememberPort(folder, 'temporal', port, options.log);
      rememberPort(folder, 'temporal-ui', uiPort, options.log);
      return { ...start.server, address, uiUrl: `http://127.0.0.1:${uiPort}` };
    } catch (error) {
      await start.server.stop();
      const why = error instanceof Error ? error.message : String(error);
      throw new StartError(failureMessage(why, database, output.path, output.tail(8)));
    }
  }
}

function serverArgs(server: { port: number; uiPort: number; namespace: string; durable: boolean }): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--log-level', 'warn'],
    ...['--port', String(server.port), '--ui-port', String(server.uiPort)],
    ...['--namespace', server.namespace, '--db-filename', databaseName],
    ...pragmas(server.durable).flatMap((pragma) => ['--sqlite-pragma', pragma]),
    ...dynamicSettings.flatMap((setting) => ['--dynamic-config-value', setting]),
    ...Object.values(searchAttributes).flatMap(({ name, type }) => [
      '--search-attribute',
      `${name}=${typeNames[type]}`,
    ]),
  ];
}

/** Temporal works with all of its indexes, too, only more slowly. A damaged file is explained by its own start. */
function reduceIndexes(database: string, log: Log): void {
  try {
    reduceVisibilityIndexes(database);
  } catch (error) {
    log.warn({ err: error }, 'indexes of Temporal not reduced, workflows take more processor time');
  }
}

/** The names of the types of search attributes on the command line. */
const typeNames: Record<(typeof searchAttributes)[keyof typeof searchAttributes]['type'], string> = {
  KEYWORD: 'Keyword',
  INT: 'Int',
};

/** Stops the servers of a killed gateway. They are recognized by their working folder. */
async function stopOrphans(folder: string): Promise<void> {
  // Earlier releases named the file with its path.
  const isServer = (command: string) =>
    command.includes('server start-dev') && / --db-filename (.*\/)?temporal\.db /.test(`${command} `);
  for (const pid of await pidsWhere(isServer)) {
    if ((await workingFolderOf(pid)) !== folder || (await endForeign(pid, stopSignals))) continue;
    throw new StartError(
      `A Temporal server that an earlier gateway left behind (process ${pid}) still runs on ${folder} and cannot be stopped. ` +
        `Stop it with: kill ${pid}`,
    );
  }
}

async function probe(pid: number, port: number): Promise<Probe> {
  const isReady = (await listensOn(pid, port)) && (await answers(`127.0.0.1:${port}`));
  return { state: isReady ? 'ready' : 'starting' };
}

function failureMessage(why: string, database: string, logPath: string, lastLines: string): string {
  return (
    `The embedded Temporal server did not start (${why}). Its log ${logPath} ends with:\n` +
    `${lastLines.replaceAll(/^/gm, '    ')}\n` +
    `If its file ${database} is damaged, move it away together with ${database}-wal and ${database}-shm and start again: ` +
    `the events are in PostgreSQL and get new workflows. Or set TEMPORAL_ADDRESS to a Temporal server of your own. Nothing was deleted.`
  );
}
