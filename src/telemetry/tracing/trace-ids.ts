import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';

/** Random ids. The id of a trace is known before its first span begins, because samplers decide by it. */
export class TraceIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #next: string | null = null;

  /** The next trace that the SDK begins gets this id. */
  useNext(traceId: string): void {
    this.#next = traceId;
  }

  readonly generateTraceId = (): string => {
    const traceId = this.#next ?? this.#random.generateTraceId();
    this.#next = null;
    return traceId;
  };

  readonly generateSpanId = (): string => this.#random.generateSpanId();
}
