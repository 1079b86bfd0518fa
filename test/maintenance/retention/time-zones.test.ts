import { expect, onTestFinished, test } from 'vitest';
import { ensurePartitions } from '../../../src/database/partitions.ts';
import { sqlOfClient } from '../../../src/database/transaction.ts';
import { forgetDay, forgetDayDeltas, readDayCounts } from '../../../src/maintenance/retention/day-statistics.ts';
import { dropDay } from '../../../src/maintenance/retention/drop-day.ts';
import { openDatabase } from '../../../src/roles/open-database.ts';
import { freshDatabase } from '../../support/database.ts';
import { queryOnce } from '../../support/one-connection.ts';
import { rows } from '../../support/stored.ts';
import { forTest } from '../../support/use.ts';
import { dayMs, expectExact, log, openStage } from './stage.ts';

// Two days (UTC) of 2026 on which the clocks in Berlin change: the day there has 25 or 23 hours.
const changes = ['2026-10-25', '2026-03-29'];
const hourMs = 3_600_000;
const zone = 'Europe/Berlin';

/** A database whose sessions use the time zone of Berlin by default. */
async function databaseInBerlin(): Promise<string> {
  const url = await freshDatabase();
  await queryOnce(url, `alter database ${new URL(url).pathname.slice(1)} set timezone = '${zone}'`);
  return url;
}

/** Creates one delivered event for each hour of two days. */
async function twoDays(day: string) {
  const stage = await openStage({ databaseUrl: await databaseInBerlin() });
  onTestFinished(() => stage.gateway.stop());
  const midnight = new Date(`${day}T00:00:00Z`);
  await ensurePartitions(stage.database, midnight, 2);
  for (let hour = 0; hour < 48; hour++) await stage.delivered(new Date(midnight.getTime() + hour * hourMs + 1_000));
  return { ...stage, midnight };
}

test.each(changes)('%s is dropped with its statistics in a database of any time zone', async (day) => {
  const { database, midnight } = await twoDays(day);
  expect(await dropDay(database, midnight)).toMatchObject({ kind: 'dropped' });
  await expectExact(database);
  expect(await dropDay(database, new Date(midnight.getTime() + dayMs))).toMatchObject({ kind: 'dropped' });
  await expectExact(database);
});

test.each(changes)('%s has 24 hours in a session of any time zone', async (day) => {
  const { gateway, database, midnight } = await twoDays(day);
  const client = await gateway.database.pool.connect();
  onTestFinished(() => client.release(true));
  await client.query(`set time zone '${zone}'`);
  const sql = sqlOfClient(client);
  const counted = async () => (await rows(database, 'select sum(stored)::integer as n from event_stat_deltas'))[0]?.n;
  expect(await counted()).toBe(48);
  const { deltas } = await readDayCounts(sql, midnight);
  expect(await forgetDayDeltas(sql, midnight)).toBe(deltas);
  expect(await counted()).toBe(24);
  await client.query(
    `insert into event_stats (hour, provider, stored) select hour, 'generic', 1
    from generate_series($1::timestamptz, $1::timestamptz + interval '47 hours', interval '1 hour') as hour`,
    [midnight],
  );
  await forgetDay(sql, midnight);
  expect((await rows(database, 'select hour from event_stats')).length).toBe(24);
});

test.each([false, true])('sessions are in UTC (of whole tables: %s)', async (wholeTables) => {
  const database = await forTest(openDatabase({ url: await databaseInBerlin(), log, wholeTables }));
  const show = { name: '', text: 'show timezone' };
  expect([await database.query(show, []), await database.reader.query(show, [])]).toEqual(
    Array(2).fill([{ TimeZone: 'UTC' }]),
  );
});
