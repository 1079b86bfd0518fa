import { v7 as uuidv7 } from 'uuid';
import { AddressReads } from '../accounts/address-reads.ts';
import { claimForAttempt } from '../attempts/claim.ts';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { AttemptReader } from '../events/attempt-row.ts';
import { EventReceiver } from '../events/event-receiver.ts';
import { OutcomeRecorder } from '../events/transitions/attempt-recorded.ts';
import type { Log } from '../shared/log.ts';
import { addAccount, undone, unusedSlug } from './undone.ts';

/** Each kind of statement of webhooks and attempts runs in at most two batches at a time, and some others run at the same time. */
const connections = 6;
/** Lookups of new addresses have two connections of their own (`database.ts`). */
const strangerConnections = 2;
/** Sorts after every account, so that a claim finds none. */
const afterAllAccounts = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Opens connections, and stores a webhook and records its delivery on each, in a transaction that is rolled back.
 * PostgreSQL reads its catalogues and plans the statements once for each connection. This takes longer than a hundred
 * webhooks, so without a warm-up the first ones after a start wait for it.
 *
 * An error is logged and not thrown, because it costs only the time of the first webhooks. If the database is
 * unavailable, the next step of the start says so.
 */
export async function warmUpDatabase({ database, log }: { database: Database; log: Log }): Promise<void> {
  const strangers = Array.from({ length: strangerConnections }, () => lookUp(database.strangers, unusedSlug()));
  const delivered = Array.from({ length: connections }, () => undone(database, (sql) => deliverOne(database, sql)));
  for (const result of await Promise.allSettled([...strangers, ...delivered]))
    if (result.status === 'rejected') log.debug({ err: result.reason }, 'warm-up failed');
}

/** Runs the statements of a webhook and of its first attempt, without sending anything. */
async function deliverOne(database: Database, sql: Sql): Promise<void> {
  const [id, accountId, accountSlug] = [uuidv7(), uuidv7(), unusedSlug()];
  await addAccount(sql, accountId, accountSlug);
  await lookUp(sql, accountSlug);
  const receipt = await new EventReceiver({ ...database, ...sql }).receive({
    ...{ id, accountId, provider: 'generic', accountSlug, appKey: 'warm-up', eventType: null, externalId: accountSlug },
    ...{ receivedAt: new Date(), headers: '[]', contentType: null, body: new Uint8Array() },
    ...{ dedupKey: uuidv7(), dedupWindowS: 1, traceparent: null },
    ...{ consumerId: null, siblings: [], skippedReason: null, unmatched: null, consumersRevision: 0 },
  });
  if (receipt.kind !== 'stored') throw new Error(`the webhook of the warm-up was not stored: ${receipt.kind}`);
  await claimForAttempt(sql, {
    scope: { kind: 'all', after: afterAllAccounts },
    room: { of: new Map(), others: 1 },
    ...{ limit: 1, token: uuidv7() },
  });
  const attempt = { eventId: id, generation: 0, trigger: 'schedule', number: 1 } as const;
  await new AttemptReader(sql).read(attempt);
  const nothingIsExhausted = async () => undefined;
  await new OutcomeRecorder({ ...sql, transaction: (work) => work(sql) }, nothingIsExhausted).record({
    ...{
      ...attempt,
      startedAt: new Date(),
      durationMs: 0,
      outcome: 'delivered',
      responseCode: 200,
      responseBody: null,
    },
    ...{ error: null, url: null, succeeded: true, last: false, nextAttemptAt: null },
    // No row has this claim: the statement of first successes records nothing, so the one of all other outcomes runs too.
    claimToken: uuidv7(),
  });
}

/** Not by a directory of accounts, whose caches for as many accounts as a gateway may have would be made each time. */
const lookUp = (sql: Sql, slug: string) =>
  new AddressReads({ sql, maxWaiting: 1, nextRead: () => 1 }).read(`generic/${slug}`);
