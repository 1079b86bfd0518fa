import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../src/database/database.ts';
import type { Outcome } from '../../src/events/outcome.ts';
import type { RejectionLimits } from '../../src/events/rejection-limits.ts';
import { type RejectedEvent, RejectionRecorder } from '../../src/events/rejections.ts';
import type { ReceivedWebhook } from '../../src/events/transitions/received.ts';
import type { Log } from '../../src/shared/log.ts';

/** A verified webhook as ingestion stores it. Its id contains the time of its receipt. */
export function receivedEvent(account: { id: string }, fields: Partial<ReceivedWebhook> = {}): ReceivedWebhook {
  const receivedAt = fields.receivedAt ?? new Date();
  return {
    id: uuidv7({ msecs: receivedAt.getTime() }),
    accountId: account.id,
    provider: 'generic',
    accountSlug: 'slug',
    appKey: 'tests',
    eventType: null,
    externalId: 'external',
    receivedAt,
    headers: '[]',
    contentType: null,
    body: Buffer.from('body'),
    dedupKey: null,
    dedupWindowS: 86_400,
    traceparent: null,
    consumerId: null,
    siblings: [],
    skippedReason: null,
    unmatched: null,
    consumersRevision: 0,
    ...fields,
  };
}

/** A first attempt as it is recorded: by default delivered. One that failed has a next attempt in an hour. */
export function outcomeOf(eventId: string, fields: Partial<Outcome> = {}): Outcome {
  const { succeeded = true } = fields;
  return {
    ...{ eventId, generation: 0, trigger: 'schedule', number: 1, startedAt: new Date(), durationMs: 1 },
    ...(succeeded
      ? { outcome: 'delivered', responseCode: 200, error: null, nextAttemptAt: null }
      : { outcome: 'http_error', responseCode: 500, error: 'no', nextAttemptAt: new Date(Date.now() + 3_600_000) }),
    ...{ responseBody: '', url: null, succeeded, last: false, claimToken: null },
    ...fields,
  };
}

/** A webhook that failed verification, as ingestion records it. */
export function rejectedEvent(account: { id: string }, fields: Partial<RejectedEvent> = {}): RejectedEvent {
  const { dedupKey: _none, dedupWindowS: _noWindow, traceparent: _off, ...event } = receivedEvent(account, fields);
  const payload = { payloadBytes: event.body.length, payloadSha256: new Uint8Array(32), headersTruncated: false };
  return { ...event, reason: 'bad_signature', detail: null, ...payload, ...fields };
}

const noLimits = { accountDailyBytes: Number.MAX_SAFE_INTEGER, dailyBytes: Number.MAX_SAFE_INTEGER };

/** A recorder of rejections, by default without daily limits. */
export function rejectionRecorder(
  database: Database,
  options: { limits?: Partial<RejectionLimits>; log?: Pick<Log, 'warn'>; now?: () => number } = {},
): RejectionRecorder {
  const { limits, log = { warn: () => undefined }, ...others } = options;
  return new RejectionRecorder({ database, limits: { ...noLimits, ...limits }, log, ...others });
}
