import type { AttemptRow } from './attempt-row.ts';

/** A place that the relay keeps free for the first attempt of one event while the event is stored. */
export interface Place {
  /** The token of the event's claim (src/processes/held-claims.ts). */
  readonly token: string;
  /** The event is stored and claimed with `token`. Begins its first attempt, unless it has to wait for a slot. */
  take(event: AttemptRow): void;
  /** Nothing was stored. */
  cancel(): void;
  /** It is not known whether the event was stored. If it was, its claim is ended soon. */
  abandon(): void;
}

/**
 * Where events go that this process has accepted. Their rows in the queue are inserted as claimed, so that no other
 * process claims them, and the events are handed over in memory after the commit.
 */
export interface HandOver {
  /**
   * Asks for a place before an event is stored. Null: the event waits in the queue, because others of its consumer wait
   * there, or because there is no room.
   */
  reserve(event: { id: string; accountId: string; consumerId: string; bytes: number }): Place | null;
  /**
   * Waits while the relay is behind with these consumers although they are quick, for at most 25 ms. Then the
   * events of a burst are accepted as fast as they are delivered, in larger batches.
   */
  room(consumerIds: readonly string[]): Promise<void>;
  /** Called after an event of this consumer was stored that waits in the queue. */
  queued(consumerId: string): void;
}
