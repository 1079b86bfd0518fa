import { expect, test, vi } from 'vitest';
import { Backlog } from '../../src/attempts/backlog.ts';
import { lowestId } from '../../src/events/queue.ts';

const all = { kind: 'all', after: lowestId } as const;
const nothing = { claimed: [], visited: [], next: null };

/** A backlog whose first look at the whole queue took so long and found nothing, and the time of its end. */
function looked(tookMs: number): { backlog: Backlog; endedMs: number } {
  const backlog = new Backlog();
  const endedMs = performance.now();
  const beganMs = endedMs - tookMs;
  const began = backlog.notices;
  expect(backlog.scope(() => true, beganMs)).toEqual(all);
  // The pause is twenty times as long as the look: 50 ms in which the test does not run would make it a second longer.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(endedMs);
  backlog.learn(all, nothing, { began, full: false, beganMs });
  clock.mockRestore();
  return { backlog, endedMs };
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

test('a claim that was full before it came to a consumer leaves that one its place', () => {
  const { backlog, endedMs } = looked(0);
  const [first, second, third] = [1, 2, 3].map((n) => `00000000-0000-7000-8000-00000000000${n}`);
  for (const id of [first, second, third]) backlog.noticed(id ?? '');
  const next = () => {
    const scope = backlog.scope(() => true, endedMs);
    return scope?.kind === 'known' ? scope : { kind: 'known' as const, consumers: [] };
  };
  const served: (string | undefined)[] = [];
  // Each claim takes one event, of the consumer that comes first.
  for (let n = 0; n < 4; n++) {
    const scope = next();
    const consumerId = scope.consumers[0]?.id ?? '';
    served.push(consumerId);
    const claimed = { eventId: consumerId, generation: 0, consumerId, accountId: consumerId };
    // A claim answers in the order of the ids.
    const visited = scope.consumers.map(({ id }) => ({ consumerId: id, most: 1, maySend: true }));
    visited.sort((a, b) => (a.consumerId < b.consumerId ? -1 : 1));
    const round = { claimed: [claimed], visited, next: null };
    backlog.learn(scope, round, { began: backlog.notices, full: true, beganMs: endedMs });
  }
  expect(served).toEqual([first, second, third, first]);
});
