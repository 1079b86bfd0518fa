import type { Seen } from '../consumer.ts';
import type { Notice } from '../receiver.ts';
import type { Disruptions } from './disruptions.ts';
import { some } from './some.ts';

export interface Duplicates {
  explained: number;
  unexplained: number;
  failures: string[];
}

/**
 * Counts the POSTs of one attempt beyond its first. One is explained by a disruption between the POST before it and
 * itself, while the outcome of the former was not recorded; or by the consumer, which reset a connection as it was used
 * again, so that the gateway repeats the request within the same attempt (docs/delivery.md, "Success and failure").
 */
export function countDuplicates(seen: readonly Seen[], disruptions: Disruptions): Duplicates {
  const attempts = Map.groupBy(seen, ({ eventId, number }) => `${eventId}/${number}`);
  const repeats = [...attempts.values()].flatMap((posts) =>
    posts.slice(1).map((post, index) => ({ before: posts[index] ?? post, post })),
  );
  const unexplained = repeats.filter(({ before, post }) => {
    const resent = before.answer === 'reset' && before.reused;
    return !resent && !disruptions.between(before.atMs, post.atMs);
  });
  return {
    explained: repeats.length - unexplained.length,
    unexplained: unexplained.length,
    failures: some('duplicates are explained by no fault', unexplained),
  };
}

/** The same of notifications: a second message that the destination took although it had taken the first. */
export function countDuplicateNotices(notices: readonly Notice[], disruptions: Disruptions): Duplicates {
  const taken = Map.groupBy(
    notices.filter(({ status }) => status === 200),
    ({ destination, eventId }) => `${destination}/${eventId}`,
  );
  const repeats = [...taken.values()].flatMap((sent) =>
    sent.slice(1).map((notice, index) => ({ before: sent[index] ?? notice, notice })),
  );
  const unexplained = repeats.filter(({ before, notice }) => !disruptions.between(before.atMs, notice.atMs));
  return {
    explained: repeats.length - unexplained.length,
    unexplained: unexplained.length,
    failures: some('notifications were sent twice, and no fault explains it', unexplained),
  };
}
