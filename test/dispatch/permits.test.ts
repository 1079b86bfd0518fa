import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Permits } from '../../src/dispatch/permits.ts';

// An event holds a permit while it waits for Temporal to make its first attempt (FIRST_ATTEMPT_PERMITS).

let keepsUp = true;
let permits: Permits;
beforeEach(() => {
  keepsUp = true;
  permits = new Permits({ mode: 'auto', size: 3, keepsUp: () => keepsUp });
});
afterEach(() => {
  permits.close();
  vi.useRealTimers();
});

/** Takes permits as the relay does: at most as many as are free. */
function takeAll(prefix: string): string[] {
  const ids = Array.from({ length: permits.free() }, (_, n) => `${prefix}-${n}`);
  for (const id of ids) permits.take(id);
  return ids;
}

test('at most the limit is free, and each attempt that begins or permit that is released frees one', async () => {
  const [first = ''] = takeAll('first');
  expect(permits.free()).toBe(0);
  permits.began(first);
  expect(permits.free()).toBe(1);
  const { begun, release } = permits.take('second');
  expect(permits.free()).toBe(0);
  release();
  await begun;
  expect(permits.free()).toBe(1);
});

test('a permit that ends twice frees one permit', () => {
  const [first = ''] = takeAll('first');
  const { release } = permits.take(first);
  release();
  release();
  permits.began(first);
  expect(permits.free()).toBe(1);
});

test('releasing an earlier permit of an event does not release its present one', () => {
  const earlier = permits.take('event');
  permits.take('event');
  earlier.release();
  expect(permits.free()).toBe(2);
});

test('while Temporal does not keep up, no permits are free, and held permits remain held', () => {
  for (const id of takeAll('first').slice(1)) permits.began(id);
  keepsUp = false;
  expect(permits.free()).toBe(0);
  keepsUp = true;
  expect(permits.free()).toBe(2);
});

test('the permit of an attempt that never begins is released after a time limit', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { begun } = permits.take('event');
  vi.runAllTimers();
  await begun;
  expect(permits.free()).toBe(3);
});

test('closing releases all permits', async () => {
  const waiting = ['one', 'two'].map((id) => permits.take(id).begun);
  permits.close();
  await Promise.all(waiting);
  expect(permits.free()).toBe(3);
});
