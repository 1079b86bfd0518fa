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

/** Takes permits as the relay does: as many as are free. */
function takeAll(prefix: string): string[] {
  const ids = Array.from({ length: permits.free() }, (_, n) => `${prefix}-${n}`);
  for (const id of ids) permits.take(id);
  return ids;
}

test('no more than the limit are free, and each that begins or is released makes room for one', async () => {
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

test('a permit that ends twice makes room once', () => {
  const [first = ''] = takeAll('first');
  const { release } = permits.take(first);
  release();
  release();
  permits.began(first);
  expect(permits.free()).toBe(1);
});

test('an earlier permit of an event does not release the one that it holds now', () => {
  const earlier = permits.take('event');
  permits.take('event');
  earlier.release();
  expect(permits.free()).toBe(2);
});

test('while the engine is behind there are none, and permits that are held stay held', () => {
  for (const id of takeAll('first').slice(1)) permits.began(id);
  keepsUp = false;
  expect(permits.free()).toBe(0);
  keepsUp = true;
  expect(permits.free()).toBe(2);
});

test('a permit of an attempt that never begins comes back by itself', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { begun } = permits.take('event');
  vi.runAllTimers();
  await begun;
  expect(permits.free()).toBe(3);
});

test('as the process ends, nothing waits for a permit any more', async () => {
  const waiting = ['one', 'two'].map((id) => permits.take(id).begun);
  permits.close();
  await Promise.all(waiting);
  expect(permits.free()).toBe(3);
});
