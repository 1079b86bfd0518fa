import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { IdleCpu } from './idle-cpu.ts';

/** Longer than the period over which is measured. */
const periodMs = 300;

test('the idle share is that of the last period', async () => {
  const times = [
    { idle: 5_000, total: 9_000 },
    { idle: 5_100, total: 9_400 },
    { idle: 5_500, total: 9_800 },
  ];
  const cpu = new IdleCpu(() => times.shift() ?? { idle: 0, total: 0 });
  expect(cpu.share()).toBe(0);
  // Within the period, nothing is measured again.
  expect([cpu.share(), times.length]).toEqual([0, 2]);
  await sleep(periodMs);
  expect(cpu.share()).toBe(0.25);
  await sleep(periodMs);
  expect(cpu.share()).toBe(1);
});

test('this machine has an idle share', async () => {
  const cpu = new IdleCpu();
  cpu.share();
  await sleep(periodMs);
  // 0 while other processes keep all cores busy.
  expect(cpu.share()).toBeGreaterThanOrEqual(0);
  expect(cpu.share()).toBeLessThanOrEqual(1);
});
