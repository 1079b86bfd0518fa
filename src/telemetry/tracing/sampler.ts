import { type Context, ROOT_CONTEXT, type SpanContext, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { TracingSettings } from './settings.ts';

/** What a span belongs to. */
export interface Origin {
  /** The context of the span that it continues; null: it begins a trace. */
  parent: Context | null;
  /** Whether a sender has named the parent. */
  isForeign: boolean;
  /** The span of the webhook that a new trace is about, such as a delivery attempt. */
  webhook: SpanContext | null;
}

/**
 * Decides which traces are recorded: those of the sampler of OTEL_TRACES_SAMPLER, and at most so many a second.
 *
 * With a `parentbased_` sampler the attempts of an event follow its webhook, so that an event is recorded as a whole or not
 * at all. OpenTelemetry's own samplers do not look at links, and a sampled webhook would have unsampled attempts.
 */
export class EventSampler {
  readonly #sampler: Sampler;
  readonly #followsWebhook: boolean;
  readonly #tracesPerSecond: number;
  readonly #now: () => number;
  #second = 0;
  #begun = 0;

  /** @param now for tests: milliseconds of a clock that never goes back */
  constructor(
    { sampler, tracesPerSecond }: Pick<TracingSettings, 'sampler' | 'tracesPerSecond'>,
    now = () => performance.now(),
  ) {
    this.#sampler = samplerOf(sampler);
    this.#followsWebhook = sampler.name.startsWith('parentbased_');
    this.#tracesPerSecond = tracesPerSecond;
    this.#now = now;
  }

  /** Whether a span of this trace is recorded. */
  records(traceId: string, { parent, isForeign, webhook }: Origin): boolean {
    if (parent === null && webhook && this.#followsWebhook) return isSampled(webhook);
    const context = parent ?? ROOT_CONTEXT;
    // The samplers look at nothing but the parent and the trace's id.
    const { decision } = this.#sampler.shouldSample(context, traceId, '', SpanKind.INTERNAL, {}, []);
    if (decision !== SamplingDecision.RECORD_AND_SAMPLED) return false;
    // A part of a recorded trace. The traces of senders count, so that none of them decides how much is recorded.
    const parentSpan = trace.getSpanContext(context);
    if (parentSpan && isSampled(parentSpan) && !isForeign) return true;
    return this.#hasRoom();
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
