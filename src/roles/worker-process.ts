import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { WorkerBeside } from '../dispatch/worker-news.ts';
import { type Child, type StopSignals, watchChild } from '../embedded/child.ts';
import { lowerPriority } from '../embedded/priority.ts';
import { type Probe, startSupervised } from '../embedded/supervised-server.ts';
import type { Collected } from '../metrics/scrape.ts';
import type { Log } from '../shared/log.ts';
import type { Running } from '../shared/running.ts';
import { StartError } from '../shared/start-error.ts';
import { type Channel, type FromWorker, openChannel, type ToWorker, type WorkerSettings } from './worker-channel.ts';

/** What the worker process says about its start. */
type Said = Exclude<FromWorker, { kind: 'measured' }>;

const entry = fileURLToPath(new URL('./worker-process-main.ts', import.meta.url));

/** Below ingestion, first attempts, PostgreSQL and Temporal: retries, notifications and maintenance can wait for a core. */
const nice = 10;
/**
 * SIGTERM stands for the message `stop`: the process itself ignores that signal. It ends its work in flight, or gives it
 * up, within 35 s (`stopLimitMs` in start-worker.ts). This limit is less than the 45 s after which `main.ts` ends itself,
 * so that the servers are still stopped in order.
 */
const stop: StopSignals = { signal: 'SIGTERM', limitMs: 38_000, insistWith: 'SIGKILL' };

/** The metrics of a worker process, with its process id. */
interface WorkerAnswer extends Collected {
  pid: number;
}

/** The worker process of `npm start`. */
export interface WorkerProcess extends Running {
  /** Sets the URL that links in notifications begin with, once it is known. */
  listening(baseUrl: string): void;
  /** The metrics of the process; null when it does not answer within the limit, or does not run. */
  collect(limitMs: number): Promise<WorkerAnswer | null>;
  /** Tells it of the first attempts of this process. */
  readonly news: WorkerBeside;
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
  let said: Said | null = null;
  const questions = new Map<number, (collected: Collected) => void>();
  let asked = 0;
  let pid: number | null = null;
  let isServing = false;
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
      if (message.kind === 'measured') questions.get(message.number)?.(message.collected);
      else said = message;
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
    news: {
      pace: (perSecond) => channel?.send({ kind: 'pace', perSecond }),
      moved: ({ pending }) => channel?.send({ kind: 'moved', pending }),
    },
    async collect(limitMs) {
      const [of, number] = [pid, asked++];
      if (of === null || said?.kind !== 'started') return null;
      const ending = new AbortController();
      const answer = new Promise<Collected>((resolve) => void questions.set(number, resolve));
      channel?.send({ kind: 'measure', number });
      try {
        const collected = await Promise.race([
          answer,
          sleep(limitMs, null, { signal: ending.signal }).catch(() => null),
        ]);
        return collected && { ...collected, pid: of };
      } finally {
        ending.abort();
        questions.delete(number);
      }
    },
    stop: start.server.stop,
  };
}

function probeOf(said: Said | null): Probe {
  switch (said?.kind) {
    case undefined:
      return { state: 'starting' };
    case 'started':
      return { state: 'ready' };
    case 'start-failed':
      return { state: 'refused', why: said.error.message };
  }
}

function startFailure(said: Said | null, why: string): Error {
  if (said?.kind !== 'start-failed') return new StartError(`The worker process did not start (${why}).`);
  return said.explained ? new StartError(said.error.message) : said.error;
}
