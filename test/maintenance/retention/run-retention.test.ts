import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { retainEvents } from '../../../src/maintenance/retention/run-retention.ts';
import { dayMs, hasDay, inOther, isoOf, log, midnight, useRetentionStage } from './stage.ts';

const stage = useRetentionStage();

const noon = (daysAgo: number) => new Date(midnight(daysAgo).getTime() + dayMs / 2);

test('days that a reader keeps are counted and logged as a warning', async () => {
  const { database, gateway, delivered } = stage;
  await delivered(noon(20));
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const retain = () => retainEvents({ database, log }, 10, new AbortController().signal);
  const reader = await inOther(
    gateway,
    'select count(*) from events, event_payloads, delivery_attempts, notifications',
  );
  const { days_kept_busy = 0, days_dropped } = await retain();
  await reader.end();
  expect(days_kept_busy).toBeGreaterThan(0);
  expect(days_dropped).toBe(0);
  expect(lines).toEqual([
    expect.objectContaining({
      level: 40,
      days_kept_busy,
      msg: expect.stringMatching(/^expired days not dropped, .*backup/),
    }),
  ]);
  expect(lines[0]?.oldest).toSatisfy((day: string) => day <= isoOf(noon(20)));

  expect(await retain()).toMatchObject({ days_kept_busy: 0, days_dropped: days_kept_busy });
  expect(lines).toHaveLength(1);
});

test('a worker whose clock is 30 days ahead drops no day before its time', async () => {
  const { database, delivered, rejected } = stage;
  await delivered(noon(20));
  await rejected(noon(20));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * dayMs });
  onTestFinished(() => void vi.useRealTimers());
  const counts = await retainEvents({ database, log }, 25, new AbortController().signal);
  expect(counts).toMatchObject({ days_dropped: 0, days_kept_dedup_keys: 0, rejected_events: 0 });
  expect(await hasDay(database, midnight(20))).toBe(true);
  expect(await hasDay(database, midnight(-30))).toBe(false);
});
