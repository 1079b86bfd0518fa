import type { AttemptRequest } from '../../../workflows/messages.ts';
import { type AttemptRow, readAttemptsName } from '../../events/attempt-row.ts';
import type { Outcome } from '../../events/outcome.ts';
import { inSpan, type SpanAttributes, type TracedSpan } from '../../telemetry/tracing/spans.ts';

/** When the event was read, which happens before it is known whether an attempt is made; by `performance.now()`. */
export interface ReadTimes {
  beganMs: number;
  endedMs: number;
}

/**
 * Runs one attempt inside its span. It begins a trace of its own and links to the span of the webhook: attempts may be
 * hours apart, and a trace that lasts for hours is never complete for a backend that waits for its end.
 */
export function inAttemptSpan<T>(
  row: AttemptRow,
  { generation, trigger, number }: AttemptRequest,
  read: ReadTimes | null,
  work: (span: TracedSpan | null) => Promise<T>,
): Promise<T> {
  return inSpan(
    () => ({
      name: 'delivery attempt',
      kind: 'client',
      link: row.traceparent,
      ...(read === null ? {} : { beganMs: read.beganMs }),
      attributes: {
        'http.request.method': 'POST',
        'http.request.body.size': row.bodyBytes,
        'gateway.event_id': row.eventId,
        'gateway.provider': row.provider,
        'gateway.account': row.accountSlug,
        'gateway.consumer': row.consumer.name,
        'gateway.generation': generation,
        'gateway.trigger': trigger,
        'gateway.attempt': number,
      },
    }),
    (span) => {
      if (span && read) span.addStatement(readAttemptsName, read.beganMs, read.endedMs);
      return work(span);
    },
  );
}

/** Adds the outcome. Neither the text of the error nor the consumer's answer is recorded. */
export function describeOutcome(
  span: TracedSpan,
  { outcome, succeeded, responseCode, durationMs, url }: Outcome,
): void {
  if (!span.isRecorded) return;
  span.set({
    ...addressOf(url),
    'http.response.status_code': responseCode ?? undefined,
    'gateway.outcome': outcome,
    'gateway.duration_ms': durationMs,
  });
  if (!succeeded) span.fail(responseCode === null ? outcome : String(responseCode));
}

/** @param shown the URL with its secrets masked, as in the delivery history. Its query is left out, too. */
function addressOf(shown: string | null): SpanAttributes {
  const url = shown === null ? null : URL.parse(shown);
  if (url === null) return {};
  return {
    'server.address': url.hostname,
    'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    'url.full': `${url.origin}${url.pathname}`,
  };
}
