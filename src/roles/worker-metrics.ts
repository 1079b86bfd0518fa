import { rememberedPort, rememberPort } from '../embedded/ports.ts';
import type { Log } from '../shared/log.ts';

const name = 'worker-metrics';

/**
 * The port at which the worker of `npm start` tells its metrics, in a file of the data folder. The worker takes a free
 * one, and another one after a crash.
 */
export const workerMetricsPort = {
  write: (dataDir: string, port: number, log: Pick<Log, 'warn'>) => rememberPort(dataDir, name, port, log),
  read: (dataDir: string) => rememberedPort(dataDir, name),
};
