import { databaseFailure } from '../../database/errors.ts';
import type { Sql } from '../../database/sql.ts';
import { readPause } from '../../events/pause.ts';
import { Poller, type Round } from '../../shared/poller.ts';
import type { DestinationType } from '../destinations/destination-config.ts';
import type { SealedSettings } from '../destinations/sealed-settings.ts';
import type { Notice } from '../notice.ts';
import type { FailedTry } from '../retries.ts';
import type { DestinationSlots } from './destination-slots.ts';
import { type HandOverDeps, handOver } from './hand-over.ts';

/** Polling a nearly empty table is cheap, and messages are read by people. */
const pollMs = 500;
/** Concurrent messages in this process: enough that destinations that do not respond do not delay the others. */
const mostAtOnce = 32;
/** Of these, to webhooks: servers that accept and never answer keep a place for the whole time limit, and leave some to chats and e-mails. */
const mostWebhooks = 24;

export interface DueMessagesDeps extends HandOverDeps {
  sql: Sql;
  slots: DestinationSlots;
}

/** A message that was claimed for its next try. */
interface Claimed {
  id: string;
  attempt: number;
  settings: SealedSettings;
  nowMs(): number;
}

/** Where messages of one kind are stored, and what they say. */
export interface MessageStore<Message extends Claimed> {
  /** Of the poller, in its log lines. */
  poller: string;
  /** What one message is called in the log, and the field of its id. */
  noun: string;
  idField: string;
  /**
   * Claims at most so many messages that are due, of which at most `webhooks` are to webhooks. `failed`: the types of
   * destinations whose message has no try left.
   */
  claim(most: number, webhooks: number): Promise<{ claimed: Message[]; failed: DestinationType[] }>;
  /** Gives back a claim without a try. */
  postpone(id: string, claim: { attempt: number; waitMs: number }): Promise<void>;
  /** When the event failed, or the incident changed. */
  since(message: Message): Date;
  notice(message: Message): Promise<Notice>;
  sent(id: string): Promise<void>;
  failed(id: string, failure: FailedTry): Promise<void>;
  /** Called after `sent`. */
  afterSent?(message: Message): Promise<void>;
}

/** Sends the messages of a store when they are due, without Temporal. None while deliveries are paused. */
export class DueMessages<Message extends Claimed> {
  readonly #deps: DueMessagesDeps;
  readonly #store: MessageStore<Message>;
  readonly #poller: Poller;
  readonly #ending = new AbortController();
  readonly #inFlight = new Map<Promise<void>, DestinationType>();

  constructor(deps: DueMessagesDeps, store: MessageStore<Message>) {
    this.#deps = deps;
    this.#store = store;
    this.#poller = new Poller({ name: store.poller, idleMs: pollMs, log: deps.log, work: () => this.#look() });
  }

  start(): void {
    this.#poller.start();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#poller.stop();
    await Promise.all(this.#inFlight.keys());
  }

  async #look(): Promise<Round> {
    const { sql, metrics, log } = this.#deps;
    const { claim, noun, idField } = this.#store;
    if (await readPause(sql)) return 'idle';
    const webhooks = [...this.#inFlight.values()].filter((type) => type === 'webhook').length;
    const { claimed, failed } = await claim(mostAtOnce - this.#inFlight.size, mostWebhooks - webhooks);
    for (const type of failed) metrics.notificationTried(type, 'failed');
    for (const message of claimed) {
      const sending: Promise<void> = this.#send(message)
        .catch((error: unknown) =>
          log.warn({ [idField]: message.id, failure: databaseFailure(error) }, `${noun} not sent yet, retrying`),
        )
        .finally(() => this.#inFlight.delete(sending));
      this.#inFlight.set(sending, message.settings.destination_type);
    }
    return 'idle';
  }

  async #send(message: Message): Promise<void> {
    const { slots } = this.#deps;
    const store = this.#store;
    const { id, attempt, settings } = message;
    const slot = slots.tryAcquire(settings.id);
    if ('waitMs' in slot) return store.postpone(id, { attempt, waitMs: slot.waitMs });
    try {
      const result = await handOver(
        this.#deps,
        {
          ids: { [store.idField]: id, destinationId: settings.id },
          ...{ attempt, settings, since: store.since(message), nowMs: () => message.nowMs() },
          notice: () => store.notice(message),
          sent: () => store.sent(id),
          failed: (failure) => store.failed(id, failure),
        },
        this.#ending.signal,
      );
      if (result.kind === 'again' && result.retryAfterMs !== null) slots.hold(settings.id, result.retryAfterMs);
      if (result.kind === 'sent') await store.afterSent?.(message);
    } finally {
      slot.release();
    }
  }
}
