import type { Seen } from '../consumer.ts';
import type { Notice } from '../receiver.ts';
import type { Disruptions } from './disruptions.ts';
import { some } from './some.ts';

export interface Duplicates {
  explained: number;
  /** Repeated by the attempt itself: the consumer reset a connection as it was used again. */
  repeated: number;
  unexplained: number;
  failures: string[];
}

/**
 * Counts the POSTs of one attempt beyond its first. A disruption explains one if it lies between the POST before it and
 * itself: the outcome of the former was not recorded. An attempt also repeats its request by itself when the consumer
 * resets a connection as it is used again (docs/delivery.md, "Success and failure").
 */
export function countDuplicates(seen: readonly Seen[], disruptions: Disruptions): Duplicates {
  const attempts = Map.groupBy(seen, ({ eventId, number }) => `${eventId}/${number}`);
  const all = [...attempts.values()].flatMap((posts) =>
    posts.slice(1).map((post, index) => ({ before: posts[index] ?? post, post })),
  );
  const byFaults = all.filter(({ before }) => !(before.answer === 'reset' && before.reused));
  const unexplained = byFaults.filter(({ before, post }) => !disruptions.between(before.atMs, post.atMs));
  return {
    explained: byFaults.length - unexplained.length,
    repeated: all.length - byFaults.length,
    unexplained: unexplained.length,
    failures: some('duplicates are explained by no fault', unexplained),
  };
}

/** Notifications that a destination took twice, and that no disruption explains, as failures. */
export function checkDuplicateNotices(notices: readonly Notice[], disruptions: Disruptions): string[] {
  const taken = Map.groupBy(
    notices.filter(({ status }) => status === 200),
    ({ destination, eventId }) => `${destination}/${eventId}`,
  );
  const repeats = [...taken.values()].flatMap((sent) =>
    sent.slice(1).map((notice, index) => ({ before: sent[index] ?? notice, notice })),
  );
  return some(
    'notifications were sent twice, and no fault explains it',
    repeats.filter(({ before, notice }) => !disruptions.between(before.atMs, notice.atMs)),
  );
}
