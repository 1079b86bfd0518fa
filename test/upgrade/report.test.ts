import { expect, test } from 'vitest';
import { reportOf } from './report.ts';

/** An event that is accepted and first attempted at `atMs`, and attempted again `laterMs` later. */
const retried = (eventId: string, atMs: number, laterMs: number) => ({
  sent: { account: 'flaky' as const, eventId, answer: '202', ackedMs: atMs },
  received: [
    { eventId, attempt: 1, status: 500, atMs },
    { eventId, attempt: 2, status: 200, atMs: atMs + laterMs },
  ],
});

test('a late retry counts as disturbed only if its workflow had a task while a worker stopped', () => {
  const stops = [{ fromMs: 100_000, untilMs: 101_000 }];
  const events = [
    // Its timer fires between 2.7 and 3.3 s after the first attempt.
    retried('when its timer fires', 97_500, 13_300),
    retried('when it starts', 100_500, 8_300),
    retried('in neither', 90_000, 5_300),
  ];
  const report = reportOf(
    events.map(({ sent }) => sent),
    events.flatMap(({ received }) => received),
    { min: 2_700, max: 3_300 },
    stops,
  );
  expect(report.retryLateMs).toMatchObject({ count: 3, max: 10_000 });
  expect(report.undisturbedLateMs).toMatchObject({ count: 1, max: 2_000 });
  expect(report.latest[0]).toMatch(/^when its timer fires, due .*: 10000 ms late, while a worker stopped$/);
  expect(report.latest[2]).toMatch(/^in neither, due .*: 2000 ms late$/);
});
