import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../http/problem.ts';
import { inSpan, type TracedSpan } from '../telemetry/tracing/spans.ts';
import type { Address, IngestAnswer } from './ingest.ts';

const route = '/{provider}/{account_slug}';

/**
 * Runs the handling of one webhook inside its span, whose `traceparent` is stored with the event.
 *
 * @param beganMs when the request was taken, by `performance.now()`.
 */
export function inWebhookSpan<T>(
  headers: IncomingHttpHeaders,
  beganMs: number,
  work: (span: TracedSpan | null) => Promise<T>,
): Promise<T> {
  return inSpan(
    () => ({
      name: `POST ${route}`,
      kind: 'server',
      attributes: { 'http.request.method': 'POST', 'http.route': route },
      beganMs,
      sender: { traceparent: text(headers.traceparent), tracestate: text(headers.tracestate) },
      failure: (error) => (error instanceof Problem && error.status < 500 ? null : codeOf(error)),
    }),
    async (span) => {
      if (span === null) return work(null);
      try {
        return await work(span);
      } catch (error) {
        const status = error instanceof Problem ? error.status : 500;
        span.set({ 'http.response.status_code': status, 'gateway.result': codeOf(error) });
        throw error;
      }
    },
  );
}

/** A request that the gateway refuses is no failure of the gateway. */
const codeOf = (error: unknown) => (error instanceof Problem ? error.code : 'internal');

const text = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined);

/** Adds the address, once it is known to exist: before that, its path is any text of a stranger. */
export function describeAddress(span: TracedSpan, { provider, slug }: Address, bytes: number): void {
  span.set({
    'url.path': `/${provider.name}/${slug}`,
    'gateway.provider': provider.name,
    'gateway.account': slug,
    'http.request.body.size': bytes,
  });
}

/** Adds what became of the webhook. */
export function describeAnswer(span: TracedSpan, answer: IngestAnswer): void {
  if (!span.isRecorded) return;
  if (answer.kind === 'challenge') {
    span.set({ 'http.response.status_code': answer.status, 'gateway.result': 'challenge' });
    return;
  }
  span.set({
    'http.response.status_code': answer.acknowledgement?.status ?? 202,
    'gateway.result': answer.body.duplicate ? 'duplicate' : 'accepted',
    'gateway.event_id': answer.body.id,
  });
}
