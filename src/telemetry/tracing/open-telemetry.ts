import {
  type Context,
  context,
  createContextKey,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent, W3CTraceContextPropagator } from '@opentelemetry/core';
import { errorTypeOf } from './error-type.ts';
import type { EventSampler } from './sampler.ts';
import type { LogIds, SpanAttributes, SpanStart, TracedSpan, Tracing } from './spans.ts';
import type { TraceIds } from './trace-ids.ts';

/** The most links of a span, the default of OpenTelemetry's SDKs. A batch may serve more calls. */
const maxLinks = 128;

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };
const propagator = new W3CTraceContextPropagator();
/** In a context: the other spans that the statements of a batch serve. */
const batchKey = createContextKey('webhook-gateway batch');

interface Batch {
  others: SpanContext[];
  size: number;
}

export interface SpanOptions {
  /** Records every span that it begins. */
  tracer: Tracer;
  sampler: Pick<EventSampler, 'records'>;
  ids: TraceIds;
  /** Whether deliveries carry a `traceparent`. */
  propagates: boolean;
  /** Whether a webhook continues the trace of its sender. */
  continueInbound: boolean;
}

/** Makes the gateway's spans with OpenTelemetry. Loaded only while tracing is on. */
export class OpenTelemetryTracing implements Tracing {
  readonly #options: SpanOptions;

  constructor(options: SpanOptions) {
    this.#options = options;
  }

  run<T>(start: SpanStart, work: (span: TracedSpan) => Promise<T>): Promise<T> {
    const { tracer, propagates } = this.#options;
    const span = this.#begin(start);
    const own = new OwnSpan(span, { propagates, tracer });
    // Not within the sender's context, which may hold a trace state that must not be passed on.
    return context.with(trace.setSpan(ROOT_CONTEXT, span), async () => {
      try {
        return await work(own);
      } catch (error) {
        const type = (start.failure ?? errorTypeOf)(error);
        if (type !== null) own.fail(type);
        throw error;
      } finally {
        span.end();
      }
    });
  }

  #begin(start: SpanStart): Span {
    const { tracer, sampler, ids, continueInbound } = this.#options;
    // A state that is not continued must not be recorded either: it is any text of the sender.
    const sender = start.sender
      ? remote(continueInbound ? start.sender : { traceparent: start.sender.traceparent })
      : null;
    const own = spanContextOf(start.parent);
    const parent = own ? trace.setSpanContext(ROOT_CONTEXT, own) : continueInbound ? sender : null;
    const webhook = spanContextOf(start.link);
    const parentSpan = parent && trace.getSpanContext(parent);
    const traceId = parentSpan?.traceId ?? ids.generateTraceId();
    // Most webhooks of a burst are not recorded. For them, the SDK would copy all attributes before it asks a sampler.
    if (!sampler.records(traceId, { parent, isForeign: own === null && parent !== null, webhook }))
      return trace.wrapSpanContext({ traceId, spanId: ids.generateSpanId(), traceFlags: TraceFlags.NONE });
    if (!parentSpan) ids.useNext(traceId);
    const linked = [continueInbound || !sender ? undefined : trace.getSpanContext(sender), webhook];
    return tracer.startSpan(
      start.name,
      {
        kind: kinds[start.kind],
        attributes: start.attributes,
        ...(start.beganMs === undefined ? {} : { startTime: start.beganMs }),
        links: linked.flatMap((one) => (one ? [{ context: one }] : [])),
      },
      parent ?? ROOT_CONTEXT,
    );
  }

  async statement<T>(statement: { name: string; text: string }, work: () => Promise<T>): Promise<T> {
    const active = context.active();
    // The parent may have ended: what a call leaves behind, such as a timer, keeps the context of that call.
    if (!trace.getSpan(active)?.isRecording()) return work();
    const name = statement.name === '' ? (/\w+/.exec(statement.text)?.[0] ?? 'statement') : statement.name;
    const batch = batchOf(active);
    const span = this.#options.tracer.startSpan(
      name,
      {
        kind: SpanKind.CLIENT,
        attributes: {
          ...statementAttributes(name),
          'db.operation.batch.size': batch && batch.size > 1 ? batch.size : undefined,
        },
        links: batch?.others.map((other) => ({ context: other })) ?? [],
      },
      active,
    );
    try {
      return await work();
    } catch (error) {
      const type = errorTypeOf(error);
      // PostgreSQL's codes have five characters (https://www.postgresql.org/docs/current/errcodes-appendix.html).
      if (/^[0-9A-Z]{5}$/.test(type)) span.setAttribute('db.response.status_code', type);
      fail(span, type);
      throw error;
    } finally {
      span.end();
    }
  }

  active(): Span | null {
    const span = trace.getSpan(context.active());
    return span?.isRecording() ? span : null;
  }

  batch<T>(spans: Span[], size: number, work: () => Promise<T>): Promise<T> {
    const [first, ...others] = spans;
    // Without a sampled span, the batch still must not run in the context of the call that happened to begin it.
    if (!first) return context.with(ROOT_CONTEXT, work);
    const batch: Batch = { others: others.slice(0, maxLinks).map((span) => span.spanContext()), size };
    return context.with(trace.setSpan(ROOT_CONTEXT, first).setValue(batchKey, batch), work);
  }

  detached<T>(work: () => T): T {
    return context.with(ROOT_CONTEXT, work);
  }

  traceparent(): string | null {
    const span = trace.getSpan(context.active());
    return span ? traceparentOf(span.spanContext()) : null;
  }

  logIds(): LogIds {
    const ids = trace.getSpanContext(context.active());
    return ids ? { trace_id: ids.traceId, span_id: ids.spanId, trace_flags: flagsOf(ids) } : {};
  }
}

class OwnSpan implements TracedSpan {
  readonly #span: Span;
  readonly #tracer: Tracer;
  readonly traceparent: string;
  readonly headers: TracedSpan['headers'];
  readonly isRecorded: boolean;

  constructor(span: Span, { propagates, tracer }: { propagates: boolean; tracer: Tracer }) {
    this.#span = span;
    this.#tracer = tracer;
    this.traceparent = traceparentOf(span.spanContext());
    this.headers = propagates ? [['traceparent', this.traceparent]] : [];
    this.isRecorded = span.isRecording();
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  addStatement(name: string, beganMs: number, endedMs: number): void {
    if (!this.isRecorded) return;
    const options = { kind: SpanKind.CLIENT, attributes: statementAttributes(name), startTime: beganMs };
    this.#tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, this.#span)).end(endedMs);
  }

  fail(errorType: string): void {
    fail(this.#span, errorType);
  }
}

function fail(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType);
  // No message: it may hold data.
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Statements are named by their purpose, so that a backend can group them. */
const statementAttributes = (name: string) => ({ 'db.system.name': 'postgresql', 'db.query.summary': name });

const flagsOf = ({ traceFlags }: SpanContext) => (traceFlags & 1 ? '01' : '00');
const traceparentOf = (ids: SpanContext) => `00-${ids.traceId}-${ids.spanId}-${flagsOf(ids)}`;

/** The span of a `traceparent` of the gateway's own; null when there is none. */
function spanContextOf(traceparent: string | null | undefined): SpanContext | null {
  const ids = traceparent ? parseTraceParent(traceparent) : null;
  return ids && { ...ids, isRemote: true };
}

/** The context that these headers of a sender describe; null when they describe none. */
function remote(headers: { traceparent?: string | null | undefined; tracestate?: string | undefined }): Context | null {
  const { traceparent, tracestate } = headers;
  if (!traceparent) return null;
  const extracted = propagator.extract(
    ROOT_CONTEXT,
    { traceparent, ...(tracestate === undefined ? {} : { tracestate }) },
    defaultTextMapGetter,
  );
  return extracted === ROOT_CONTEXT ? null : extracted;
}

function batchOf(active: Context): Batch | null {
  const value = active.getValue(batchKey);
  return isBatch(value) ? value : null;
}

const isBatch = (value: unknown): value is Batch => typeof value === 'object' && value !== null && 'others' in value;
