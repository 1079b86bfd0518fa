import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporalProgram } from '../support/temporal-program.ts';
import { makeTemplate, openPostgres, type Postgres } from './postgres.ts';
import { openTemporal, type Temporal } from './temporal.ts';

/** The two servers of a stage. */
export interface Servers {
  postgres: Postgres;
  temporal: Temporal;
}

/** What all stages of a run share. */
export interface Ground {
  /** Prepares servers of a stage's own, with the gateway's schema and no rows. They are not started. */
  openServers(options: { folder: string; logs: string; onSmallDisk: boolean }): Promise<Servers>;
  /** Whether senders use one balancer before all apis. Otherwise they know the address of each. */
  balanced: boolean;
  /** Halves the time of a start. */
  compileCache: string;
}

/** Creates a folder that PostgreSQL's user may enter. The returned function removes it. */
export function ownFolder(prefix: string): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(folder, 0o755);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }) };
}

/** The servers of `npm start`, in a folder that is removed when this process ends. */
export async function prepareGround(): Promise<Ground> {
  const { folder, remove } = ownFolder('gateway-faults-');
  process.on('exit', remove);
  const template = await makeTemplate(join(folder, 'template'));
  const program = await temporalProgram(console.log);
  return {
    async openServers({ folder: own, logs, onSmallDisk }) {
      const [postgres, temporal] = await Promise.all([
        openPostgres({ folder: own, template, onSmallDisk, logPath: join(logs, 'postgres.log') }),
        openTemporal({ folder: own, program, logPath: join(logs, 'temporal.log') }),
      ]);
      return { postgres, temporal };
    },
    balanced: false,
    compileCache: join(folder, 'compile-cache'),
  };
}
