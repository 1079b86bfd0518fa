import { expect, test } from 'vitest';
import { Backlog } from '../../src/attempts/backlog.ts';
import { lowestId } from '../../src/events/queue.ts';

const all = { kind: 'all', after: lowestId } as const;
const nothing = { claimed: [], visited: [], next: null };

/** A backlog whose first look at the whole queue took so long and found nothing, and the time of its end. */
function looked(tookMs: number): { backlog: Backlog; endedMs: number } {
  const backlog = new Backlog();
  const beganMs = performance.now() - tookMs;
  const began = backlog.notices;
  expect(backlog.scope(() => true, beganMs)).toEqual(all);
  backlog.learn(all, nothing, { began, full: false, beganMs });
  return { backlog, endedMs: performance.now() };
}

test('a look that took long comes again after twenty times as long', () => {
  const { backlog, endedMs } = looked(100);
  expect(backlog.scope(() => true, endedMs + 1_500)).toBeNull();
  expect(backlog.scope(() => true, endedMs + 3_000)).toEqual(all);
});

test('a look during which PostgreSQL hung comes again after five seconds', () => {
  const { backlog, endedMs } = looked(3_400);
  expect(backlog.scope(() => true, endedMs + 4_000)).toBeNull();
  expect(backlog.scope(() => true, endedMs + 5_000)).toEqual(all);
});

test('what is held is left out until a claim says that it may be sent', () => {
  const { backlog, endedMs } = looked(0);
  const [held, other] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'];
  const learn = (maySend: boolean) =>
    backlog.learn(
      all,
      { ...nothing, visited: [{ consumerId: held, most: 0, maySend }] },
      { began: backlog.notices, full: false, beganMs: endedMs },
    );
  backlog.mayNotSend(held);
  expect([backlog.isHeld(held), backlog.isHeld(other)]).toEqual([true, false]);
  learn(true);
  expect(backlog.isHeld(held)).toBe(false);
  learn(false);
  expect(backlog.isHeld(held)).toBe(true);
});
