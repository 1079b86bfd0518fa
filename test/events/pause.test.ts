import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { lookAgainMs, pauseDelivery, readPause, resumeDelivery } from '../../src/events/pause.ts';
import { PauseWatch } from '../../src/processes/pause-watch.ts';
import { rows } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();

test('a pause that another program has written is in force', async () => {
  const since = '2026-11-21T02:30:00.000Z';
  await rows(database, `insert into gateway_settings (key, value) values ('delivery_paused', $1)`, [
    Buffer.from(`{"since": "${since}", "reason": "restored from Üb.sql"}`),
  ]);
  const restored = { since: new Date(since), reason: 'restored from Üb.sql' };
  expect(await readPause(database)).toEqual(restored);
  expect(await pauseDelivery(database, 'later')).toEqual(restored);
  expect(await resumeDelivery(database)).toMatchObject({ reason: expect.any(String) });
  expect(await readPause(database)).toBeNull();
  expect(await resumeDelivery(database)).toBeNull();
});

test('a transaction that is rolled back does not pause or resume', async () => {
  const undone = new Error('undone');
  const inVain = (work: (sql: Parameters<typeof readPause>[0]) => Promise<unknown>) =>
    database
      .transaction(async (sql) => {
        await work(sql);
        throw undone;
      })
      .catch((error: unknown) => expect(error).toBe(undone));
  await inVain((sql) => pauseDelivery(sql, ''));
  expect(await readPause(database)).toBeNull();
  await pauseDelivery(database, 'kept');
  await inVain(resumeDelivery);
  expect((await readPause(database))?.reason).toBe('kept');
  await resumeDelivery(database);
});

test.each([3_600_000, -3_600_000])(
  'the times of a pause are of the database while the process is %i ms ahead',
  async (aheadMs) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMs });
    try {
      const pause = await pauseDelivery(database, '');
      const [row] = await rows(database, 'select clock_timestamp() as now');
      if (!row) throw new Error('no row');
      expect(Math.abs(row.now.getTime() - pause.since.getTime())).toBeLessThan(60_000);
      await resumeDelivery(database);
      const [resumed] = await rows(
        database,
        `select convert_from(value, 'UTF8')::timestamptz as at from gateway_settings where key = 'delivery_resumed'`,
      );
      expect(Math.abs(row.now.getTime() - resumed?.at.getTime())).toBeLessThan(60_000);
    } finally {
      vi.useRealTimers();
      await resumeDelivery(database);
    }
  },
);

test('a worker logs at its start that deliveries are paused, and logs each change', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  let resumed = 0;
  const watch = new PauseWatch({ sql: database, log, onResumed: () => resumed++ });
  const pause = await pauseDelivery(database, 'the shop moves');
  watch.start();
  try {
    await until('it knows of the pause', () => watch.paused);
    const paused = { level: 40, msg: 'deliveries are paused', reason: 'the shop moves' };
    expect(lines).toEqual([expect.objectContaining({ ...paused, since: pause.since.toISOString() })]);
    await resumeDelivery(database);
    watch.wake();
    await until('it knows that it is over', () => !watch.paused);
    expect(resumed).toBe(1);
    expect(lines[1]).toMatchObject({ level: 40, msg: 'deliveries are resumed' });
    await pauseDelivery(database, 'again');
    await until('it looks by itself', () => watch.paused);
    expect(lines.map(({ msg, reason }) => [msg, reason])).toEqual([
      ['deliveries are paused', 'the shop moves'],
      ['deliveries are resumed', undefined],
      ['deliveries are paused', 'again'],
    ]);
  } finally {
    await watch.stop();
    await resumeDelivery(database);
  }
});

test('a notification checks again after about the time that the pause has lasted, and within a minute', () => {
  const pause = { since: new Date(0), reason: '' };
  const looks = [-5_000, 0, 500, 10_000, 50_000, 3_600_000, 8 * 24 * 3_600_000];
  const waits = (random: number) => looks.map((atMs) => lookAgainMs(pause, atMs, () => random));
  expect(waits(0)).toEqual([1_000, 1_000, 1_000, 10_000, 50_000, 50_000, 50_000]);
  expect(waits(1)).toEqual([800, 800, 800, 8_000, 40_000, 40_000, 40_000]);
});
