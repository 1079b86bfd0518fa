import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Recent } from '../../src/telemetry/metrics/recent.ts';

const long = 60_000;

test('a value is read once for all who ask within its time', async () => {
  let readings = 0;
  const recent = new Recent(async () => ++readings, { keptMs: long, limitMs: long });
  expect(await Promise.all([recent.value(), recent.value()])).toEqual([1, 1]);
  expect(await recent.value()).toBe(1);
});

test('a value that is too old is read again', async () => {
  let readings = 0;
  const recent = new Recent(async () => ++readings, { keptMs: 0, limitMs: long });
  expect([await recent.value(), await recent.value()]).toEqual([1, 2]);
});

test('a failed reading has no value, and is not repeated within its time', async () => {
  let readings = 0;
  const recent = new Recent(
    async () => {
      readings += 1;
      throw new Error('away');
    },
    { keptMs: long, limitMs: long },
  );
  expect([await recent.value(), await recent.value(), readings]).toEqual([null, null, 1]);
});

test('a reading that hangs has no value, and no second one is started before it ends', async () => {
  const readings: PromiseWithResolvers<string>[] = [];
  const recent = new Recent(
    () => {
      const reading = Promise.withResolvers<string>();
      readings.push(reading);
      return reading.promise;
    },
    { keptMs: 0, limitMs: 5 },
  );
  expect([await recent.value(), await recent.value(), readings.length]).toEqual([null, null, 1]);
  readings[0]?.resolve('late');
  await sleep(0);
  const next = recent.value();
  readings[1]?.resolve('next');
  expect([await next, readings.length]).toEqual(['next', 2]);
});

test('a reading that is late has its value later, until it is too old', async () => {
  const reading = Promise.withResolvers<string>();
  const recent = new Recent(() => reading.promise, { keptMs: long, limitMs: 5 });
  expect([await recent.value(), recent.last(long)]).toEqual([null, null]);
  reading.resolve('late');
  await sleep(0);
  expect([recent.last(long), recent.last(0)]).toEqual(['late', null]);
});

test('after a failed reading there is no last value', async () => {
  let isAway = false;
  const read = async () => {
    if (isAway) throw new Error('away');
    return 'first';
  };
  const recent = new Recent(read, { keptMs: 0, limitMs: long });
  expect([await recent.value(), recent.last(long)]).toEqual(['first', 'first']);
  isAway = true;
  expect([await recent.value(), recent.last(long)]).toEqual([null, null]);
});
