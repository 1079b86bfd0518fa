import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Stalls } from '../../src/shared/stalls.ts';

const limitMs = 1_200;

// Not with real time: on a busy machine this process itself stands still for longer than the limit.
let nowMs: number;
beforeEach(() => {
  nowMs = 0;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function stallsForTest(): Stalls {
  const stalls = new Stalls(limitMs);
  onTestFinished(() => stalls.stop());
  return stalls;
}

/** Time in which no timer runs. */
const block = (ms: number) => {
  nowMs += ms;
};
/** Time in which timers run. */
const pass = (ms: number) => {
  for (const endMs = nowMs + ms; nowMs < endMs; ) {
    nowMs += 1;
    vi.advanceTimersByTime(1);
  }
};

test('a blocked event loop is a stall, seen at once and until it is long over', () => {
  const stalls = stallsForTest();
  const beganMs = performance.now();
  expect(stalls.since(beganMs)).toBe(false);
  block(limitMs + 50);
  expect(stalls.since(beganMs)).toBe(true);
  const endedMs = performance.now();
  pass(50);
  expect([stalls.since(beganMs), stalls.since(endedMs)]).toEqual([true, false]);
});

test('a stall is noticed by what runs before the timer', async () => {
  const stalls = stallsForTest();
  const beganMs = performance.now();
  const received = new Promise<boolean>((resolve) => setImmediate(() => resolve(stalls.since(beganMs))));
  block(limitMs + 50);
  expect(await received).toBe(true);
});

test('the timer notices a stall without a question', () => {
  const stalls = stallsForTest();
  const beganMs = performance.now();
  block(limitMs + 50);
  pass(limitMs / 5);
  block(50);
  expect(stalls.since(beganMs)).toBe(true);
});

test('several short blocks are no stall', () => {
  const stalls = stallsForTest();
  const beganMs = performance.now();
  for (let n = 0; n < 8; n++) {
    block(limitMs / 6);
    pass(limitMs / 10);
  }
  expect(stalls.since(beganMs)).toBe(false);
});
