import { expect, test } from 'vitest';
import { SettledRoom } from '../../src/dispatch/settled-room.ts';
import { until } from '../support/until.ts';

// Under load, the workflows of settled events start with what the machine leaves idle.

/** The highest limit of asking for longer than the interval of single starts. */
async function highest(room: SettledRoom): Promise<number> {
  let found = 0;
  for (const endMs = Date.now() + 1_500; Date.now() < endMs; ) {
    found = Math.max(found, room.limit());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return found;
}

test('without load, all starts are allowed', () => {
  expect(new SettledRoom({ attemptsBusy: () => false, idleShare: () => 0 }).limit()).toBe(32);
});

test('under load on a busy machine, one start at a time is allowed', async () => {
  const room = new SettledRoom({ attemptsBusy: () => true, idleShare: () => 0 });
  expect(room.limit()).toBe(1);
  // Not again at once.
  expect(room.limit()).toBe(0);
  expect(await highest(room)).toBe(1);
}, 20_000);

test('under load, idle processor time raises the limit, and its end lowers it', async () => {
  let idle = 0.5;
  const room = new SettledRoom({ attemptsBusy: () => true, idleShare: () => idle });
  await until('the limit has grown', () => room.limit() >= 4);
  idle = 0.15;
  expect(await highest(room)).toBeGreaterThanOrEqual(4);
  idle = 0;
  await until('the limit is low again', async () => (await highest(room)) === 1);
}, 20_000);
