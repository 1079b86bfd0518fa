import { expect, test } from 'vitest';
import { forTest } from '../support/use.ts';
import { disruptionsOf } from './checks/disruptions.ts';
import { countDuplicates } from './checks/duplicates.ts';
import type { Seen } from './consumer.ts';
import { Standstills } from './standstills.ts';

/** Blocks the event loop: to a timer, that is the same as a standstill. */
const block = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** An attempt as the consumer saw it at this time. */
const seenAt = (atMs: number): Seen => ({
  ...{ eventId: 'one', requestId: 'one', consumer: 'default', externalId: 'w-1', number: 1, account: 'steady' },
  ...{ addressOf: 'default', atMs, answer: 200, answeredMs: atMs, reused: false },
});

test('a standstill explains an attempt that was sent before and after it, and no other duplicate', async () => {
  const standstills = await forTest(new Standstills());
  expect(standstills.found).toEqual([]);
  const beforeMs = Date.now();
  block(1_100);
  const afterMs = Date.now();
  expect(standstills.found).toMatchObject([{ kind: 'standstill' }]);
  const disruptions = disruptionsOf(standstills.found, ['api', 'worker']);
  const duplicates = (...times: number[]) => countDuplicates(times.map(seenAt), disruptions);
  expect(duplicates(beforeMs, afterMs)).toMatchObject({ explained: 1, unexplained: 0, failures: [] });
  expect(duplicates(beforeMs - 9_000, beforeMs - 5_000)).toMatchObject({ explained: 0, unexplained: 1 });
});
