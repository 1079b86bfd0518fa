import type { DiagLogger } from '@opentelemetry/api';
import type { Log } from '../../shared/log.ts';
import { RareWarning } from '../../shared/rare-warning.ts';

/** Characters of a text of the SDK that are logged. */
const maxLength = 200;

/**
 * The log of the SDK, whose own would write to the terminal. Each kind of message has at most one line a minute, because an
 * unreachable collector would fill the log.
 */
export class ExportLog {
  readonly #log: Pick<Log, 'warn' | 'debug'>;
  readonly #collector: string | null;
  readonly #failures = new RareWarning();
  readonly #notes = new RareWarning();

  /** @param collector where spans are sent, without credentials; null: to the terminal only. */
  constructor(log: Pick<Log, 'warn' | 'debug'>, collector: string | null) {
    this.#log = log;
    this.#collector = collector;
  }

  /** A batch of spans did not reach the collector. The SDK has retried it, and drops it. */
  failed(error: unknown): void {
    this.#failures.add();
    this.#failures.tell((batches) =>
      this.#log.warn({ collector: this.#collector, batches, reason: reasonOf(error) }, 'traces not exported'),
    );
  }

  /** What the SDK says itself. */
  readonly diag: DiagLogger = {
    error: (message) => this.#note(message),
    warn: (message) => this.#note(message),
    info: () => undefined,
    debug: () => undefined,
    verbose: () => undefined,
  };

  #note(message: string): void {
    this.#notes.add();
    this.#notes.tell((messages) =>
      this.#log.warn({ messages, detail: message.slice(0, maxLength) }, 'tracing incomplete'),
    );
  }
}

/** Never the text of the collector's answer: only its status, the system's code, or what the SDK says itself. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'number') return `HTTP ${error.code}`;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.message.slice(0, maxLength);
}
