import { join } from 'node:path';
import type { Log } from '../shared/log.ts';
import { StartError } from '../shared/start-error.ts';
import { type StopSignals, startChild } from './child.ts';
import type { DataDir } from './data-dir.ts';
import { explainFileError } from './file-error.ts';
import { endForeign, listensOn, pidsWhere } from './os-process.ts';
import { freePort, isPortFree, rememberedPort, rememberPort } from './ports.ts';
import { serverLog } from './server-log.ts';
import { type Probe, type Start, type SupervisedServer, startSupervised } from './supervised-server.ts';
import { answers, keepClosedWorkflowsForAWeek } from './temporal-namespace.ts';

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
  /** Where the Web UI should be; elsewhere when that is taken. */
  uiPort: number;
  log: Log;
};

const usualPort = 7233;
const basePort = 17233;
const uiBasePort = 18233;
/** A port that was free a moment ago may be taken by now. */
const startTries = 10;
const readyLimitMs = 120_000;
const stopSignals: StopSignals = { signal: 'SIGTERM', limitMs: 10_000, insistWith: 'SIGKILL' };

const dynamicSettings = [
  // Hands the first activity out with the workflow task's answer. Off by default in server 1.29.
  'system.enableActivityEagerExecution=true',
  // One worker process or a few: more partitions only mean more polling between them.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
];
/** Measured: three times the throughput of the default journal. A power failure may cost the last moments, which the gateway's rows replace. */
const pragmas = ['journal_mode=wal', 'synchronous=normal'];

/**
 * Starts a Temporal development server on the data folder and keeps it running on `127.0.0.1` until `stop()`. The namespace
 * exists then and keeps closed workflows for seven days.
 *
 * @throws StartError that says what to do. Nothing is left running then.
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
  const database = join(folder, 'temporal.db');
  const output = serverLog(join(folder, 'temporal.log'));

  const startOn = (port: number, uiPort: number): Promise<Start> =>
    startSupervised({
      name: 'Temporal',
      launch: async () => {
        await stopOrphans(database);
        return startChild(options.program, serverArgs({ port, uiPort, database, namespace: options.namespace }), {
          // Empty: the user's TEMPORAL_* variables and profiles are about other servers.
          env: {},
          cwd: folder,
          output,
          onGatewayExit: stopSignals.signal,
        });
      },
      probe: (pid) => probe(pid, port),
      readyLimitMs,
      stop: stopSignals,
      log: options.log,
    });

  for (let tried = 1; ; tried += 1) {
    // Before the choice: they may hold the ports that we would like to have again.
    await stopOrphans(database);
    const port = await freePort([usualPort, rememberedPort(folder, 'temporal')], basePort);
    const uiPort = await freePort([options.uiPort, rememberedPort(folder, 'temporal-ui')], uiBasePort);
    const start = await startOn(port, uiPort);
    if (!start.started) {
      if (tried < startTries && !((await isPortFree(port)) && (await isPortFree(uiPort)))) continue;
      throw new StartError(failureMessage(start.why, database, output.path, output.tail(8)));
    }
    const address = `127.0.0.1:${port}`;
    try {
      await keepClosedWorkflowsForAWeek(address, options.namespace);
      rememberPort(folder, 'temporal', port);
      rememberPort(folder, 'temporal-ui', uiPort);
      return { ...start.server, address, uiUrl: `http://127.0.0.1:${uiPort}` };
    } catch (error) {
      await start.server.stop();
      const why = error instanceof Error ? error.message : String(error);
      throw new StartError(failureMessage(why, database, output.path, output.tail(8)));
    }
  }
}

function serverArgs(server: { port: number; uiPort: number; database: string; namespace: string }): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--log-level', 'warn'],
    ...['--port', String(server.port), '--ui-port', String(server.uiPort)],
    ...['--namespace', server.namespace, '--db-filename', server.database],
    ...pragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    ...dynamicSettings.flatMap((setting) => ['--dynamic-config-value', setting]),
  ];
}

/** Stops the servers of an earlier gateway that was killed, told by their command line: they run on this very file. */
async function stopOrphans(database: string): Promise<void> {
  const isOurs = (command: string) =>
    command.includes('server start-dev') && `${command} `.includes(` --db-filename ${database} `);
  for (const pid of await pidsWhere(isOurs)) {
    if (await endForeign(pid, stopSignals)) continue;
    throw new StartError(
      `A Temporal server that an earlier gateway left behind (process ${pid}) still runs on ${database} and cannot be stopped. ` +
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
