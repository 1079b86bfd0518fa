import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Stalls } from '../../src/shared/stalls.ts';

/** Far longer than a busy machine delays a test. */
const limitMs = 1_200;

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
  block(limitMs + 50);
  expect(stalls.since(beganMs)).toBe(true);
  const endedMs = performance.now();
  await sleep(50);
  expect([stalls.since(beganMs), stalls.since(endedMs)]).toEqual([true, false]);
});

test('a stall is noticed by what runs before the timer', async () => {
  const stalls = stallsForTest();
  const beganMs = performance.now();
  const received = new Promise<boolean>((resolve) => setImmediate(() => resolve(stalls.since(beganMs))));
  block(limitMs + 50);
  expect(await received).toBe(true);
});

test('the timer notices a stall without a question', async () => {
  const stalls = stallsForTest();
  const beganMs = performance.now();
  block(limitMs + 50);
  await sleep(limitMs / 5);
  block(50);
  expect(stalls.since(beganMs)).toBe(true);
});

test('several short blocks are no stall', async () => {
  const stalls = stallsForTest();
  const beganMs = performance.now();
  for (let n = 0; n < 8; n++) {
    block(limitMs / 6);
    await sleep(1);
  }
  expect(stalls.since(beganMs)).toBe(false);
});
