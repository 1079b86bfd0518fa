import { randomUUID } from 'node:crypto';
import type { Sql } from '../database/sql.ts';
import type { Log } from '../shared/log.ts';
import { Poller } from '../shared/poller.ts';
import type { Running } from '../shared/running.ts';
import { beat, beatS, leaveProcesses, type ProcessInfo, thisProcess } from './process-rows.ts';

/**
 * Starts the heartbeats of a process that claims nothing: they only list it. A late one costs nothing, so they need no
 * session of their own, and they leave the claims of dead processes to those that claim (heartbeat.ts).
 */
export function startPresence({ sql, role, log }: { sql: Sql; role: ProcessInfo['role']; log: Log }): Running {
  const info: ProcessInfo = { ...thisProcess(), token: randomUUID(), role, makesFirstAttempts: false };
  const poller = new Poller({
    name: 'heartbeat',
    idleMs: beatS * 1000,
    log,
    async work() {
      // Other parts of the process say that the database is away.
      await beat(sql, info, 0).catch((error: unknown) => log.debug({ err: error }, 'heartbeat failed'));
      return 'idle';
    },
  });
  poller.start();
  return {
    async stop() {
      await poller.stop();
      await leaveProcesses(sql, info.token, false).catch((error: unknown) => {
        log.debug({ err: error }, 'process not removed from the list, it counts as dead');
      });
    },
  };
}
