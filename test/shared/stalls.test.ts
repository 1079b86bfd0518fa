import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Stalls } from '../../src/shared/stalls.ts';

const limitMs = 200;

function stallsForTest(): Stalls {
  const stalls = new Stalls(limitMs);
  onTestFinished(() => stalls.stop());
  return stalls;
}

/** Blocks the event loop. */
const block = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('a blocked event loop is a stall, seen at once and until it is long over', async () => {
  const stalls = stallsForTest();
  const beganMs = performance.now();
  expect(stalls.since(beganMs)).toBe(false);
  block(limitMs * 2);
  expect(stalls.since(beganMs)).toBe(true);
  const endedMs = performance.now();
  await sleep(limitMs / 2);
  expect([stalls.since(beganMs), stalls.since(endedMs)]).toEqual([true, false]);
});

test('a stall is noticed by what runs before the timer', async () => {
  const stalls = stallsForTest();
  const beganMs = performance.now();
  const received = new Promise<boolean>((resolve) => setImmediate(() => resolve(stalls.since(beganMs))));
  block(limitMs * 2);
  expect(await received).toBe(true);
});

test('many short blocks are no stall', async () => {
  const stalls = stallsForTest();
  const beganMs = performance.now();
  for (let n = 0; n < 8; n++) {
    block(limitMs / 4);
    await sleep(limitMs / 8);
  }
  expect(stalls.since(beganMs)).toBe(false);
});
