import { join } from 'node:path';
import type { startApi } from '../../../src/api/start-api.ts';
import type { HandOver } from '../../../src/events/hand-over.ts';
import type { startDeliveries } from '../../../src/roles/start-deliveries.ts';
import type { startWorker } from '../../../src/roles/start-worker.ts';
import type { Keyring } from '../../../src/secrets/keyring.ts';
import type { Running } from '../../../src/shared/running.ts';
import { BenchProcess } from '../../bench/calls.ts';
import { ownFolder } from '../../faults/ground.ts';
import { leaksInFolder } from '../../support/leaks/files.ts';
import { note } from '../../support/leaks/watch.ts';
import { Balancer } from '../balancer.ts';
import type { RoleCalls } from './role-process.ts';

const apis = 2;
const usualWorkers = 2;

export interface Starters {
  startApi(options: Parameters<typeof startApi>[0]): Promise<Running & { port: number }>;
  startDeliveries(options: Parameters<typeof startDeliveries>[0]): Promise<Running & { handOver: HandOver | null }>;
  startWorker(options: Parameters<typeof startWorker>[0]): Promise<Running>;
}

/**
 * Starts the gateway of an end-to-end test as a cluster does: two apis behind a balancer and two workers, each a process.
 * What a test starts later is one more worker.
 *
 * @param workers of the first start; one where a test counts what one worker has in flight
 */
export function clusterStarters(options: { databaseUrl: string; workers?: number | undefined }): Starters {
  const { databaseUrl } = options;
  let count = options.workers ?? usualWorkers;
  // Removed when the api stops, which is stopped last.
  const { folder: logs, remove } = ownFolder('gateway-e2e-logs-');
  let files = 0;
  let apiProcesses: ReturnType<typeof roleProcesses> = [];
  const own = (keyring: Keyring) => ({
    ...{ databaseUrl, keys: keysOf(keyring) },
    logPath: join(logs, `process-${++files}.log`),
  });
  return {
    async startApi({ database: _, keyring, log: __, metrics: ___, scrape: ____, handOver: _____, ...settings }) {
      const processes = roleProcesses(apis);
      apiProcesses = processes;
      const ports = await Promise.all(processes.map((each) => each.call('api', { ...settings, ...own(keyring) })));
      const balancer = new Balancer(ports);
      const port = await balancer.listen();
      return {
        port,
        async stop() {
          balancer.close();
          await stopAll(processes);
          note(leaksInFolder(logs));
          remove();
        },
      };
    },
    async startDeliveries({ database: _, keyring, log: __, metrics: ___, ...settings }) {
      const each = <K extends 'deliver' | 'stopDelivering'>(call: K, job: Parameters<RoleCalls[K]>[0]) =>
        Promise.all(apiProcesses.map((api) => api.call(call, job)));
      await each('deliver', { ...settings, ...own(keyring) });
      return { handOver: null, stop: async () => void (await each('stopDelivering', null)) };
    },
    async startWorker({ database: _, keyring, log: __, metrics: ___, notifications, ...settings }) {
      const processes = roleProcesses(count);
      count = 1;
      await Promise.all(
        processes.map((each) =>
          each.call('worker', {
            ...{ ...settings, ...own(keyring) },
            notifications: { ...notifications, baseUrl: notifications.baseUrl() },
          }),
        ),
      );
      // A test may stop a worker that the end of its gateway stops again.
      let stopped: Promise<void> | null = null;
      return {
        stop() {
          stopped ??= stopAll(processes);
          return stopped;
        },
      };
    },
  };
}

const roleProcesses = (count: number) =>
  Array.from({ length: count }, () => new BenchProcess<RoleCalls>('../cluster/e2e/role-process.ts'));

const keysOf = ({ current, previous }: Keyring) => ({
  current: current.bytes,
  previous: previous === null ? null : previous.bytes,
});

async function stopAll(processes: readonly BenchProcess<RoleCalls>[]): Promise<void> {
  await Promise.all(
    processes.map(async (each) => {
      await each.call('stop', null);
      await each.stop();
    }),
  );
}
