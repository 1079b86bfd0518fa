import type { Span } from '@opentelemetry/api';

/** Values of attributes. An attribute that is undefined is left out. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

/** A header line of a request. */
type Header = readonly [name: string, value: string];

/** What a span begins with. Names and attributes hold no payload, no secret and no query of a URL (docs/tracing.md). */
export interface SpanStart {
  /** One of few names, so that a backend can group spans by it. */
  name: string;
  kind: 'server' | 'client' | 'internal';
  attributes: SpanAttributes;
  /** The `traceparent` of the span that this one continues. Without it, the span begins a trace of its own. */
  parent?: string | null;
  /** The trace headers of a sender outside of the gateway; the span links to them unless TRACE_CONTINUE_INBOUND is set. */
  sender?: { traceparent?: string | undefined; tracestate?: string | undefined };
  /** The `traceparent` of a span that this one is about. */
  link?: string | null;
  /** When it began, by `performance.now()`, in ms; by default now. */
  beganMs?: number;
  /** The type of the failure that an error of the work is; null if it is none. Default: `errorTypeOf`. */
  failure?: (error: unknown) => string | null;
}

/** A span that is being recorded, or that only passes on its ids because it was not sampled. */
export interface TracedSpan {
  /** Its ids and whether it is sampled, as in the header (https://www.w3.org/TR/trace-context/#traceparent-header). */
  readonly traceparent: string;
  /** Whether its attributes are recorded: there is no need to describe another one. */
  readonly isRecorded: boolean;
  /** The headers of a request that the span makes; empty with OTEL_PROPAGATORS=none. */
  readonly headers: readonly Header[];
  set(attributes: SpanAttributes): void;
  /** Adds a statement that ran before the span could begin; times as `beganMs`. */
  addStatement(name: string, beganMs: number, endedMs: number): void;
  /** Marks the span as failed. `errorType` is one of few codes, never a message, which may hold data. */
  fail(errorType: string): void;
}

/** The ids of the active span in a log line. */
export interface LogIds {
  trace_id?: string;
  span_id?: string;
  trace_flags?: string;
}

/** What is behind the functions of this file while tracing is on (open-telemetry.ts). */
export interface Tracing {
  run<T>(start: SpanStart, work: (span: TracedSpan) => Promise<T>): Promise<T>;
  statement<T>(statement: { name: string; text: string }, work: () => Promise<T>): Promise<T>;
  active(): Span | null;
  detached<T>(work: () => T): T;
  batch<T>(spans: Span[], size: number, work: () => Promise<T>): Promise<T>;
  traceparent(): string | null;
  logIds(): LogIds;
}

/**
 * The tracing of this process; null while it is off. It is process-wide as in OpenTelemetry's own API, because the active
 * span belongs to the flow of calls: statements and log lines would otherwise need it as an argument everywhere.
 */
let tracing: Tracing | null = null;

/** Turns tracing on for this process, or off with null. */
export function useTracing(on: Tracing | null): void {
  tracing = on;
}

/** Whether tracing is on, for what only spans need. */
export const isTracing = (): boolean => tracing !== null;

/**
 * Runs `work` inside a span that ends with it. When `work` throws, the span has failed.
 *
 * @param start called only while tracing is on.
 * @param work gets null while tracing is off.
 */
export function inSpan<T>(start: () => SpanStart, work: (span: TracedSpan | null) => Promise<T>): Promise<T> {
  return tracing === null ? work(null) : tracing.run(start(), work);
}

/** Runs a statement of PostgreSQL, inside a span if a sampled span is active. Its values are never recorded. */
export function inStatementSpan<T>(statement: { name: string; text: string }, work: () => Promise<T>): Promise<T> {
  return tracing === null ? work() : tracing.statement(statement, work);
}

/** The sampled span that is active, for a call that is processed together with others; null if there is none. */
export function activeSpan(): Span | null {
  return tracing === null ? null : tracing.active();
}

/**
 * Runs the work that calls from several spans share. Its statements are children of the first of these spans and link to
 * the others. Without a sampled span among them, they have no spans.
 */
export function inBatch<T>(calls: readonly { span: Span | null }[], work: () => Promise<T>): Promise<T> {
  if (tracing === null) return work();
  const spans = calls.flatMap(({ span }) => (span === null ? [] : [span]));
  return tracing.batch(spans, calls.length, work);
}

/**
 * Runs work that the active span did not ask for, such as the next of a queue: it must not count as a part of the span that
 * happened to make room for it.
 */
export function detached<T>(work: () => T): T {
  return tracing === null ? work() : tracing.detached(work);
}

/** Turns tracing off for the time of `work`, for all of this process: for a warm-up, whose webhooks are not real. */
export async function withoutTracing<T>(work: () => Promise<T>): Promise<T> {
  const before = tracing;
  tracing = null;
  try {
    return await work();
  } finally {
    tracing = before;
  }
}

/** The `traceparent` of the active span, sampled or not; null while tracing is off or no span is active. */
export function activeTraceparent(): string | null {
  return tracing === null ? null : tracing.traceparent();
}

/** The ids of the active span, for log lines; empty if there is none. A new object each time: pino adds to it. */
export function logIds(): LogIds {
  return tracing === null ? {} : tracing.logIds();
}
