import {
  type Attributes,
  type Context,
  createContextKey,
  type Link,
  type SpanContext,
  type SpanKind,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { TracingSettings } from './settings.ts';

/** In the context of a new trace: the span of the webhook that the trace is about. */
const webhookKey = createContextKey('webhook-gateway webhook');

/** In the context of a span: its parent is not of this gateway. */
const foreignKey = createContextKey('webhook-gateway foreign parent');

/** Marks a new trace as one about this webhook, such as a delivery attempt. */
export const aboutWebhook = (context: Context, webhook: SpanContext): Context => context.setValue(webhookKey, webhook);

/** Marks the parent in this context as one that a sender has named. */
export const ofSender = (context: Context): Context => context.setValue(foreignKey, true);

const notSampled: SamplingResult = { decision: SamplingDecision.NOT_RECORD };

/**
 * Decides which traces are recorded: those of the sampler of OTEL_TRACES_SAMPLER, and at most so many a second.
 *
 * With a `parentbased_` sampler the attempts of an event follow its webhook, so that an event is recorded as a whole or not
 * at all. OpenTelemetry's own samplers do not look at links, and a sampled webhook would have unsampled attempts.
 */
export class EventSampler implements Sampler {
  readonly #sampler: Sampler;
  readonly #followsWebhook: boolean;
  readonly #tracesPerSecond: number;
  readonly #now: () => number;
  #second = 0;
  #begun = 0;

  /** @param options.now for tests: milliseconds of a clock that never goes back */
  constructor(
    { sampler, tracesPerSecond }: Pick<TracingSettings, 'sampler' | 'tracesPerSecond'>,
    now = () => performance.now(),
  ) {
    this.#sampler = samplerOf(sampler);
    this.#followsWebhook = sampler.name.startsWith('parentbased_');
    this.#tracesPerSecond = tracesPerSecond;
    this.#now = now;
  }

  shouldSample(
    context: Context,
    traceId: string,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): SamplingResult {
    const parent = trace.getSpanContext(context);
    const webhook = parent ? null : webhookOf(context);
    if (webhook && this.#followsWebhook)
      return isSampled(webhook) ? { decision: SamplingDecision.RECORD_AND_SAMPLED } : notSampled;
    const result = this.#sampler.shouldSample(context, traceId, name, kind, attributes, links);
    if (result.decision !== SamplingDecision.RECORD_AND_SAMPLED) return result;
    // A part of a recorded trace. The traces of senders count, so that none of them decides how much is recorded.
    if (parent && isSampled(parent) && context.getValue(foreignKey) !== true) return result;
    return this.#hasRoom() ? result : notSampled;
  }

  toString(): string {
    return `EventSampler{${this.#sampler}, ${this.#tracesPerSecond} traces/s}`;
  }

  /** Counts a trace that begins. False when there were enough in this second. */
  #hasRoom(): boolean {
    if (this.#tracesPerSecond === 0) return true;
    const second = Math.floor(this.#now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#begun = 0;
    }
    this.#begun += 1;
    return this.#begun <= this.#tracesPerSecond;
  }
}

const isSampled = ({ traceFlags }: SpanContext) => (traceFlags & TraceFlags.SAMPLED) !== 0;

function webhookOf(context: Context): SpanContext | null {
  const value = context.getValue(webhookKey);
  return isSpanContext(value) ? value : null;
}

const isSpanContext = (value: unknown): value is SpanContext =>
  typeof value === 'object' && value !== null && 'traceFlags' in value;

function samplerOf({ name, ratio }: TracingSettings['sampler']): Sampler {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
    default:
      return name satisfies never;
  }
}
