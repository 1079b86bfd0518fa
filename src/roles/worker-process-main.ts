import type { WorkerBeside } from '../dispatch/worker-news.ts';
import type { Collect } from '../metrics/scrape.ts';
import { exitWhenIdle } from '../shared/exit.ts';
import { StartError } from '../shared/start-error.ts';
import { failureText } from './run-role.ts';
import { type FromWorker, openChannel, type ToWorker, type WorkerSettings } from './worker-channel.ts';

// The program of the worker process, which `worker-process.ts` starts. Heavy modules are loaded after the first message.

const stopping = new AbortController();
let baseUrl = '';
let isStarted = false;
let worker: WorkerBeside | null = null;
let collect: Collect | null = null;

const channel = openChannel<FromWorker, ToWorker>(process, (message) => {
  switch (message.kind) {
    case 'start':
      baseUrl = message.settings.notifications.baseUrl;
      void run(message.settings);
      break;
    case 'listening':
      baseUrl = message.baseUrl;
      break;
    case 'pace':
      worker?.pace(message.perSecond);
      break;
    case 'moved':
      worker?.moved(message);
      break;
    case 'measure':
      void collect?.().then(
        (collected) => channel.send({ kind: 'measured', number: message.number, collected }),
        // Never expected, and no reason to end this process: the gateway then reports its metrics as missing.
        () => undefined,
      );
      break;
    case 'stop':
      stopping.abort();
      break;
  }
});

// A terminal sends Ctrl-C to the whole process group, and a supervisor may do the same with SIGTERM. Attempts in flight
// still need this process, so only the gateway decides when it stops.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

// The gateway has died. Its next start has a worker of its own, which takes over what is in flight. SIGKILL, because an
// exit would wait for threads.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

if (process.send === undefined) {
  console.error(
    failureText(new StartError('`npm start` starts this program itself. To run a worker alone: npm run worker')),
  );
  process.exit(1);
}

async function run(settings: WorkerSettings): Promise<void> {
  try {
    const { runWorkerProcess } = await import('./run-worker-process.ts');
    await runWorkerProcess(settings, {
      baseUrl: () => baseUrl,
      stopped: stopping.signal,
      onStarted(started) {
        isStarted = true;
        worker = started.beside;
        collect = started.collect;
        channel.send({ kind: 'started' });
      },
    });
  } catch (error) {
    if (!isStarted) return void (await reportFailure(settings, error));
    console.error(failureText(error));
    process.exit(1);
  }
  await exitWhenIdle(0);
}

/** Tells the gateway why the start failed. The process ends when the gateway, which has read it, says so. */
async function reportFailure({ databaseUrl, databaseIsGiven }: WorkerSettings, cause: unknown): Promise<void> {
  const { explainDatabaseError } = await import('../database/explain-error.ts');
  const error = databaseIsGiven ? explainDatabaseError(databaseUrl, cause) : cause;
  channel.send({
    kind: 'start-failed',
    error: error instanceof Error ? error : new Error(String(error)),
    explained: error instanceof StartError,
  });
  const { untilStopped } = await import('./until-stopped.ts');
  await untilStopped(stopping.signal);
  await exitWhenIdle(1);
}
