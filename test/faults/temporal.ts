import { join } from 'node:path';
import { freePort } from '../../src/embedded/ports.ts';
import { answers } from '../../src/embedded/temporal-namespace.ts';
import { ServerProcess } from './server-process.ts';
import { untilUp } from './until-up.ts';

export interface Temporal {
  process: ServerProcess;
  port: number;
  /** Where its metrics are, if they have a port of their own. */
  metricsUrl?: string;
  /** Starts the server and waits until it answers. Its database keeps the workflows. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** As the embedded server has them (src/embedded/temporal.ts). */
const dynamicSettings = [
  'system.enableActivityEagerExecution=true',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'frontend.keepAliveTime="10s"',
  'frontend.keepAliveTimeout="5s"',
];
const stopLimitMs = 5_000;
const pragmas = ['journal_mode=wal', 'synchronous=normal'];

export async function openTemporal(options: { folder: string; program: string; logPath: string }): Promise<Temporal> {
  const port = await freePort([], 25_000 + Math.floor(Math.random() * 4_000));
  const command = [
    ...[options.program, 'server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--headless'],
    ...['--log-level', 'warn', '--db-filename', join(options.folder, 'temporal.db')],
    ...pragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    ...dynamicSettings.flatMap((setting) => ['--dynamic-config-value', setting]),
  ];
  const server = new ServerProcess({
    name: 'temporal',
    logPath: options.logPath,
    launch: () => ({ command, env: {}, cwd: options.folder }),
  });
  return {
    process: server,
    port,
    start: () =>
      untilUp('temporal', () => {
        server.start();
        return answers(`127.0.0.1:${port}`);
      }),
    close: async () => void (await server.stop('SIGTERM', stopLimitMs)),
  };
}
