import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Child, type StopSignals, watchChild } from '../embedded/child.ts';
import { lowerPriority } from '../embedded/priority.ts';
import { type Probe, startSupervised } from '../embedded/supervised-server.ts';
import type { WorkflowSide } from '../events/hand-over.ts';
import type { Log } from '../shared/log.ts';
import type { Running } from '../shared/running.ts';
import { StartError } from '../shared/start-error.ts';
import {
  type Channel,
  type FromWorker,
  openChannel,
  type ToWorker,
  toSent,
  type WorkerSettings,
} from './worker-channel.ts';

const entry = fileURLToPath(new URL('./worker-process-main.ts', import.meta.url));

/** Below ingestion, first attempts, PostgreSQL and Temporal: retries, notifications and maintenance can wait for a core. */
const nice = 10;
/**
 * SIGTERM stands for the message `stop`: the process itself ignores that signal. Its attempts in flight end within 35 s
 * by default (15 s, and the Temporal worker's grace of 20 s). It is less than the 45 s after which `main.ts` ends itself,
 * so that the servers are still stopped in order.
 */
const stop: StopSignals = { signal: 'SIGTERM', limitMs: 38_000, insistWith: 'SIGKILL' };

/** The worker process of `npm start`. */
export interface WorkerProcess extends Running {
  /** Sets the URL that links in notifications begin with, once it is known. */
  listening(baseUrl: string): void;
  /** Lets the workflows of the worker process make first attempts. */
  readonly workflows: WorkflowSide;
}

/**
 * Runs `startWorker` in a process of its own, so that workflows, retries, notifications and maintenance take neither the
 * event loop nor the cores from ingestion. Resolves when it works. When the process dies, it is started again with a
 * backoff; its events wait in the queue.
 *
 * @param options.dataDir names the gateway in lists of processes.
 * @throws StartError, or the error that ended the first start.
 */
export async function startWorkerProcess(options: {
  settings: WorkerSettings;
  dataDir: string;
  log: Log;
}): Promise<WorkerProcess> {
  const { dataDir, log } = options;
  let { settings } = options;
  /** The end of the channel to the process that runs now, and what it has said. */
  let channel: Channel<ToWorker> | null = null;
  let said: StartMessage | null = null;
  let pid: number | null = null;
  let isServing = false;
  /** How many events may wait for Temporal, and the token of their claims, as the worker process has said. */
  let free = 0;
  let token = '';
  const lower = () => {
    if (pid !== null) lowerPriority(pid, nice, { ownSession: false, log });
  };

  const launch = async (): Promise<Child> => {
    said = null;
    const forked = fork(entry, [dataDir], {
      // Not those of this process, such as its limit of the memory for young objects.
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const child = watchChild(forked, 'SIGKILL');
    const own = openChannel<ToWorker, FromWorker>(forked, (message) => {
      // A process that has died may have said something that arrives only now.
      if (channel !== own) return;
      if (message.kind === 'free') ({ free, token } = message);
      else said = message;
    });
    forked.once('exit', () => {
      if (channel === own) free = 0;
    });
    channel = own;
    pid = child.pid;
    // Not during the first start, while there are no webhooks yet that it could delay.
    if (isServing) lower();
    own.send({ kind: 'start', settings });
    return {
      ...child,
      signal: (signal) => (signal === stop.signal ? own.send({ kind: 'stop' }) : child.signal(signal)),
    };
  };

  const start = await startSupervised({
    name: 'worker',
    launch,
    probe: async () => probeOf(said),
    // No limit, because sealing the stored URLs of many accounts may take long. If the start fails, the process says so.
    readyLimitMs: null,
    stop,
    log,
  });
  if (!start.started) throw startFailure(said, start.why);
  isServing = true;
  lower();
  return {
    listening(baseUrl) {
      settings = { ...settings, notifications: { ...settings.notifications, baseUrl } };
      channel?.send({ kind: 'listening', baseUrl });
    },
    workflows: {
      get token() {
        return token;
      },
      free: () => free,
      take(event) {
        free--;
        channel?.send({ kind: 'event', event: toSent(event) });
      },
      doubt: () => channel?.send({ kind: 'doubt' }),
      pace: (perSecond) => channel?.send({ kind: 'pace', perSecond }),
    },
    stop: start.server.stop,
  };
}

/** What a worker process says of its start. */
type StartMessage = Exclude<FromWorker, { kind: 'free' }>;

function probeOf(said: StartMessage | null): Probe {
  switch (said?.kind) {
    case undefined:
      return { state: 'starting' };
    case 'started':
      return { state: 'ready' };
    case 'start-failed':
      return { state: 'refused', why: said.error.message };
  }
}

function startFailure(said: StartMessage | null, why: string): Error {
  if (said?.kind !== 'start-failed') return new StartError(`The worker process did not start (${why}).`);
  return said.explained ? new StartError(said.error.message) : said.error;
}
