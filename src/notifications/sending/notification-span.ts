import { inSpan, isTracing, type TracedSpan } from '../../telemetry/tracing/spans.ts';
import type { Said } from '../notice.ts';

/** The try of a message, as its span describes it. */
interface TracedTry {
  ids: Record<string, string | number>;
  attempt: number;
  settings: { destination_type: string };
}

/**
 * Runs one try of a message inside its span, which begins a trace of its own, as that of an attempt.
 *
 * @param webhook reads the `traceparent` of the webhook, to which the span links; called only while tracing is on.
 */
export async function inNotificationSpan<T>(
  { ids, attempt, settings }: TracedTry,
  webhook: (() => Promise<string | null>) | undefined,
  work: (span: TracedSpan | null) => Promise<T>,
): Promise<T> {
  // Before the span begins, because the webhook decides whether it is recorded.
  const link = isTracing() && webhook ? await webhook() : null;
  return await inSpan(
    () => ({
      name: 'notification',
      kind: 'client',
      link,
      attributes: {
        'gateway.event_id': textOf(ids.eventId),
        'gateway.summary_id': textOf(ids.summaryId),
        'gateway.incident_message_id': textOf(ids.incidentMessageId),
        'gateway.destination_id': textOf(ids.destinationId),
        'gateway.destination_type': settings.destination_type,
        'gateway.attempt': attempt,
      },
    }),
    work,
  );
}

const textOf = (id: string | number | undefined) => (id === undefined ? undefined : String(id));

/** Adds the outcome. Neither address nor answer of the destination is recorded: both may hold its secrets. */
export function describeSaid(span: TracedSpan, said: Said): void {
  const outcome = said.ok ? 'sent' : said.outcome;
  span.set({
    'http.response.status_code': said.responseCode ?? undefined,
    'gateway.outcome': outcome,
    'gateway.duration_ms': said.durationMs,
  });
  if (!said.ok) span.fail(outcome);
}
