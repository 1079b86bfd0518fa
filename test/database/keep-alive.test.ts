import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { openSnapshot } from '../../src/backups/snapshot.ts';
import { openDatabase } from '../../src/roles/open-database.ts';
import { createLog } from '../../src/shared/log.ts';
import { migratedDatabase } from '../support/database.ts';
import { queryOnce } from '../support/gateway-roles.ts';
import { until } from '../support/until.ts';

/** Where Linux lists its connections, with the timer of each. */
const list = '/proc/net/tcp';
const keepAliveTimer = '02';
/** Its unit of time: a second has so many. */
const ticks = 100;

let url: string;
beforeAll(async () => {
  url = await migratedDatabase();
});

/** In how many seconds the system asks whether the server of an idle connection is there; null: it does not, or not yet. */
async function secondsToProbe(applicationName: string): Promise<number | null> {
  const [found] = await queryOnce<{ client_port: number }>(
    url,
    'select client_port from pg_stat_activity where application_name = $1 and datname = current_database()',
    [applicationName],
  );
  const port = found?.client_port.toString(16).toUpperCase().padStart(4, '0');
  const rows = (await readFile(list, 'utf8')).split('\n').map((row) => row.trim().split(/\s+/));
  const [kind, when = ''] = rows.find(([, local]) => local?.endsWith(`:${port}`))?.[5]?.split(':') ?? [];
  return kind === keepAliveTimer ? Number.parseInt(when, 16) / ticks : null;
}

// Just after a statement the connection waits for something else.
const untilProbed = (applicationName: string) =>
  until('the system asks after the server', () => secondsToProbe(applicationName));

test.skipIf(!existsSync(list))('a backup notices soon that its server is gone', async () => {
  const snapshot = await openSnapshot(url, new AbortController().signal);
  try {
    expect(await untilProbed('webhook-gateway-backup')).toBeLessThanOrEqual(10);
  } finally {
    await snapshot.close();
  }
});

test.skipIf(!existsSync(list))('so does what has no time limit: a migration or a restore', async () => {
  const database = await openDatabase({ url, log: createLog('silent'), maxConnections: 1, wholeTables: true });
  try {
    await database.pool.query('select 1');
    expect(await untilProbed('webhook-gateway')).toBeLessThanOrEqual(10);
  } finally {
    await database.close();
  }
});
