import { rememberedPort, rememberPort } from '../embedded/ports.ts';

const name = 'worker-metrics';

/**
 * The port at which the worker of `npm start` tells its metrics, in a file of the data folder. The worker takes a free
 * one, and another one after a crash.
 */
export const workerMetricsPort = {
  write: (dataDir: string, port: number) => rememberPort(dataDir, name, port),
  read: (dataDir: string) => rememberedPort(dataDir, name),
};
