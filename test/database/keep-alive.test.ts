import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { openSnapshot } from '../../src/backups/snapshot.ts';
import { applicationName } from '../../src/database/application-name.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { migratedDatabase } from '../support/database.ts';
import { lacks } from '../support/may-skip/list.ts';
import { queryOnce } from '../support/one-connection.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';

/** Where Linux lists its TCP connections, with their timers. */
const list = '/proc/net/tcp';
const keepAliveTimer = '02';
/** The unit of the timers: ticks per second. */
const ticks = 100;

let url: string;
beforeAll(async () => {
  url = await migratedDatabase();
});

/** Seconds until the next keep-alive probe of an idle connection; null if none is scheduled yet. */
async function secondsToProbe(applicationName: string): Promise<number | null> {
  const [found] = await queryOnce<{ client_port: number }>(
    url,
    'select client_port from pg_stat_activity where application_name = $1 and datname = current_database()',
    [applicationName],
  );
  const inHex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
  const [client, server] = [inHex(found?.client_port ?? 0), inHex(Number(new URL(url).port))];
  const rows = (await readFile(list, 'utf8')).split('\n').map((row) => row.trim().split(/\s+/));
  // Closed connections to other servers may have the same port on this side.
  const own = rows.find(([, local, remote]) => local?.endsWith(`:${client}`) && remote?.endsWith(`:${server}`));
  const [kind, when = ''] = own?.[5]?.split(':') ?? [];
  return kind === keepAliveTimer ? Number.parseInt(when, 16) / ticks : null;
}

// Right after a statement, another timer of the connection is active.
const untilProbed = (applicationName: string) =>
  until('the system asks after the server', () => secondsToProbe(applicationName));

test.skipIf(lacks('socket timers'))('a backup notices soon that its server is gone', async () => {
  await forTest(openSnapshot(url, new AbortController().signal));
  expect(await untilProbed('webhook-gateway-backup')).toBeLessThanOrEqual(10);
});

test.skipIf(lacks('socket timers'))('so does what has no time limit: a migration or a restore', async () => {
  const database = await forTest(openDatabase({ url, log: createLog('silent'), maxConnections: 1, wholeTables: true }));
  await database.pool.query('select 1');
  expect(await untilProbed(applicationName())).toBeLessThanOrEqual(10);
});
