import type { AccountMasks } from '../../accounts/account-mask.ts';
import type { DeliveryOptions } from '../../accounts/delivery-options.ts';
import type { DeliveryTargets } from '../../accounts/delivery-target.ts';
import { statusTest } from '../../accounts/status-list.ts';
import type { AttemptRow } from '../../events/attempt-row.ts';
import type { AttemptName } from '../../events/event.ts';
import type { ConsumerSender } from '../consumer-sender.ts';
import type { DroppedHeaders } from '../dropped-headers.ts';
import { deliveryHeaders, type Header } from '../headers.ts';
import { maskError } from '../mask-error.ts';
import { signaturesOf } from '../signature.ts';
import { keepsHeaders, keptHeaders, noHeaders } from './kept-headers.ts';

/** The outcome of one attempt, whether or not a request could be sent. */
export interface Posted {
  outcome: string;
  succeeded: boolean;
  /** Whether the consumer wants no further attempt after this status. */
  final: boolean;
  responseCode: number | null;
  responseBody: string | null;
  /** Null where they are not kept: see exchange.ts. */
  requestHeaders: Header[] | null;
  responseHeaders: Header[] | null;
  retryAfterMs: number | null;
  error: string | null;
  durationMs: number;
  /** As in `SendResult`. */
  connectMs: number | null;
  answerMs: number | null;
  url: string | null;
}

export interface PostDeps {
  consumerSender: ConsumerSender;
  targets: DeliveryTargets;
  masks: AccountMasks;
  droppedHeaders: DroppedHeaders;
}

/**
 * Makes the POST of an event, with address, headers and signature (docs/delivery.md). The account's secrets are masked
 * in the result. Never throws.
 */
export async function postEvent(
  deps: PostDeps,
  row: AttemptRow,
  attempt: {
    body: Uint8Array;
    number: number;
    generation: number;
    trigger: AttemptName['trigger'];
    timeLimitMs: number;
    startedAt: Date;
    /** The trace headers of the attempt; null while tracing is off. */
    trace: readonly Header[] | null;
  },
): Promise<Posted> {
  const target = deps.targets.of(row.account);
  if (!target.ok) return notSent(target.outcome, target.error);
  const { options } = row.consumer;
  const timestampS = Math.floor(attempt.startedAt.getTime() / 1000);
  const signed = { id: row.eventId, timestampS, body: attempt.body };
  const signature = signaturesOf(target.signing, signed, attempt.startedAt);
  const { token, ...result } = await deps.consumerSender.post(target, {
    headers: deliveryHeaders({
      providerHeaders: row.headers,
      contentType: row.contentType,
      event: {
        requestId: row.requestId,
        consumer: row.consumer.name,
        backfill: row.backfilled,
        provider: row.provider,
        accountSlug: row.accountSlug,
        eventType: row.eventType,
        externalId: row.externalId,
        attempt: attempt.number,
        replay: attempt.generation > 0,
      },
      webhook: { id: row.eventId, timestampS, signature },
      dropped: deps.droppedHeaders,
      trace: attempt.trace,
      added: addedHeaders(options, target.authentication),
    }),
    body: attempt.body,
    timeLimitMs: options?.timeoutMs ?? attempt.timeLimitMs,
    ...(options?.success && { isSuccess: statusTest(options.success) }),
    nowMs: row.nowMs,
  });
  const succeeded = result.outcome === 'delivered';
  const final = !succeeded && isFinal(options, result.responseCode);
  const { responseBody, error } = result;
  const posted = { ...result, ...noHeaders, succeeded, final, url: target.shown };
  const keeps = keepsHeaders(attempt, succeeded);
  if (!responseBody && error === null && !keeps) return posted;
  const mask = deps.masks.of(row.account, token);
  return {
    ...posted,
    ...(keeps && keptHeaders(result, { mask, secret: target.authentication?.[0], url: target.url })),
    responseBody: responseBody === null ? null : mask(responseBody),
    error: error === null ? null : maskError(mask, error, target.url),
  };
}

/** The headers of a consumer's settings. */
export const addedHeaders = (options: DeliveryOptions | null, authentication: Header | null): readonly Header[] => [
  ...Object.entries(options?.headers ?? {}),
  ...(authentication === null ? [] : [authentication]),
];

const isFinal = (options: DeliveryOptions | null, status: number | null) =>
  options?.final !== undefined && status !== null && statusTest(options.final)(status);

function notSent(outcome: string, error: string): Posted {
  return {
    outcome,
    succeeded: false,
    final: false,
    responseCode: null,
    responseBody: null,
    ...noHeaders,
    retryAfterMs: null,
    error,
    durationMs: 0,
    connectMs: null,
    answerMs: null,
    url: null,
  };
}
