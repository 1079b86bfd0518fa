import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a worker (`node --import`): collects the garbage of all its threads after SIGUSR2, so that its memory can
 * be compared. Workflows run in threads of their own.
 */
setFlagsFromString('--expose-gc');
const gc: (options: object) => void = runInNewContext('gc');
// As when memory runs out: returns what it can to the system.
const collect = () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });

const channel = new BroadcastChannel('collect garbage');
channel.onmessage = collect;
channel.unref();
if (isMainThread)
  process.on('SIGUSR2', () => {
    channel.postMessage(null);
    collect();
  });
