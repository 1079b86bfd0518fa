import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nice } from '../../../src/embedded/priority.ts';
import { answers } from '../../../src/embedded/temporal-namespace.ts';
import { readProjectFile } from '../../docker/files.ts';
import { ServerProcess } from '../../faults/server-process.ts';
import type { Temporal } from '../../faults/temporal.ts';
import { untilUp } from '../../faults/until-up.ts';
import { freePorts } from '../free-ports.ts';
import { portsNeeded, servicePorts, type TemporalSettings, temporalConfig } from './config.ts';

/** One core is left to the gateway and PostgreSQL, as in `npm start` (src/embedded/temporal.ts). */
const threads = Math.max(1, availableParallelism() - 1);
const restartPauseMs = 1_000;
const stopLimitMs = 15_000;

/** Prepares a Temporal server on PostgreSQL, with all services in one process. `start()` starts it. */
export async function openTemporalServer(options: {
  folder: string;
  logPath: string;
  program: string;
  postgres: TemporalSettings['postgres'];
}): Promise<Temporal> {
  const [metricsPort = 0, ...others] = await freePorts(1 + portsNeeded, 25_000);
  const ports = servicePorts(others);
  const dynamicConfig = join(options.folder, 'temporal-dynamic.yaml');
  writeFileSync(dynamicConfig, readProjectFile('docker/temporal/dynamic-config.yaml'));
  const file = join(options.folder, 'temporal.yaml');
  writeFileSync(file, temporalConfig({ ports, metricsPort, postgres: options.postgres, dynamicConfig }), {
    mode: 0o600,
  });
  const server = new ServerProcess({
    name: 'temporal',
    logPath: options.logPath,
    launch: () => ({
      command: [options.program, '--config-file', file, '--allow-no-auth', 'start'],
      env: { GOMAXPROCS: String(threads) },
      cwd: options.folder,
      // As its shares of docker-compose.yml.
      nice,
    }),
  });
  let wanted = false;
  /** As `restart: unless-stopped` of docker-compose.yml: the server ends itself where PostgreSQL is away for long. */
  const keepRunning = () => {
    if (!wanted || server.pid !== null) return;
    server.start();
    void server.ended.then(async (how) => {
      // Whoever killed it starts it again, so that an outage lasts as long as intended.
      if (how === 'ended by SIGKILL') return;
      await sleep(restartPauseMs);
      keepRunning();
    });
  };
  return {
    process: server,
    port: ports.frontend.grpc,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    start: () =>
      untilUp('temporal', () => {
        wanted = true;
        keepRunning();
        return answers(`127.0.0.1:${ports.frontend.grpc}`);
      }),
    async close() {
      wanted = false;
      await server.stop('SIGTERM', stopLimitMs);
    },
  };
}
