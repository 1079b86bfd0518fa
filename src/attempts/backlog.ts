import { LRUCache } from 'lru-cache';
import { uuidFloor, uuidMs } from '../database/uuid-time.ts';
import { consumersAClaim, lowestId } from '../events/queue.ts';
import type { ClaimRound, ConsumersToClaim } from './claim.ts';

/** How often the whole queue is looked at, because a notification can get lost and the claims of a dead process are ended. */
const lookEveryMs = 1_000;
/** A look at a queue with a long history takes longer, and then takes place less often: at most a twentieth of the time. */
const lookShare = 20;
/** A look may also have taken long because PostgreSQL hung, and events that nothing has noticed wait for the next one. */
const longestPauseMs = 5_000;
/**
 * A claim begins this long before the last event that was claimed of its consumer: events are committed in another order
 * than they were received, and the clocks of several machines differ a little. A look finds the others.
 */
const overlapMs = 2_000;
/** Consumers whose last claimed event is remembered, also while nothing waits. */
const keptPositions = 10_000;

/**
 * Which consumers may have events in the queue that wait for their first attempt, and how far the claims of each have
 * come. So a claim passes neither the rows that are claimed already nor what PostgreSQL has not cleaned up yet.
 */
export class Backlog {
  /** Consumers that may have events in the queue, and their last notice. The next claim begins with the first. */
  readonly #waiting = new Map<string, number>();
  /** Consumers with more events in the queue than the last claim could take. */
  readonly #behind = new Set<string>();
  /** Consumers to which nothing may be sent, as far as this process knows. */
  readonly #held = new Set<string>();
  readonly #positions = new LRUCache<string, string>({ max: keptPositions });
  /** Counts the calls of `noticed`. */
  #notices = 0;
  /** The last notice that was about any consumer; null when a look has found them all since. */
  #unknownSince: number | null = 0;
  /** The consumer after which the look in progress continues; null between two looks. */
  #lookAfter: string | null = null;
  #lookBegan = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #lookTookMs = 0;

  /** Called when events of this consumer wait; null: of any consumer. */
  noticed(consumerId: string | null): void {
    this.#notices++;
    if (consumerId === null) this.#unknownSince = this.#notices;
    else this.#waiting.set(consumerId, this.#notices);
  }

  /** Called when an event of this consumer has to wait although there is a relay in this process. */
  fellBehind(consumerId: string): void {
    this.#behind.add(consumerId);
    this.noticed(consumerId);
  }

  /** Called when an attempt was not made because the consumer or its account is disabled or paused. */
  mayNotSend(consumerId: string): void {
    this.#held.add(consumerId);
  }

  /**
   * Whether events of this consumer wait because nothing may be sent to it. A claim finds out when that ends: the next look, or
   * the one that the operator's call causes.
   */
  isHeld(consumerId: string): boolean {
    return this.#held.has(consumerId);
  }

  /** Whether many events of this consumer wait. New ones must then wait behind them. */
  isBehind(consumerId: string): boolean {
    return this.#unknownSince !== null || this.#behind.has(consumerId);
  }

  /**
   * The consumers of the next claim; null when there is nothing to claim.
   *
   * @param isFree whether the consumer has a free slot.
   */
  scope(isFree: (consumerId: string) => boolean, nowMs: number): ConsumersToClaim | null {
    const pauseMs = Math.min(longestPauseMs, Math.max(lookEveryMs, this.#lookTookMs * lookShare));
    const dueMs = this.#lookedMs + pauseMs;
    if (this.#lookAfter !== null || this.#unknownSince !== null || nowMs >= dueMs) {
      if (this.#lookAfter === null) this.#lookBegan = this.#notices;
      return { kind: 'all', after: this.#lookAfter ?? lowestId };
    }
    const consumers = [];
    for (const id of this.#waiting.keys()) {
      if (isFree(id)) consumers.push({ id, after: this.#positions.get(id) ?? lowestId });
      if (consumers.length === consumersAClaim) break;
    }
    return consumers.length === 0 ? null : { kind: 'known', consumers };
  }

  /** The number of the last notice. Read it before a claim. */
  get notices(): number {
    return this.#notices;
  }

  /**
   * Learns from a claim.
   *
   * @param began `notices` when the claim began: what was noticed since then may still wait.
   * @param full whether the claim took as many events as it could, so that no consumer is known to be empty.
   */
  learn(
    scope: ConsumersToClaim,
    round: ClaimRound,
    { began, full, beganMs }: { began: number; full: boolean; beganMs: number },
  ): void {
    const claimed = new Map<string, number>();
    for (const { consumerId, eventId } of round.claimed) {
      claimed.set(consumerId, (claimed.get(consumerId) ?? 0) + 1);
      this.#advance(consumerId, eventId);
    }
    for (const { consumerId, most, maySend } of round.visited) {
      if (maySend) this.#held.delete(consumerId);
      else this.#held.add(consumerId);
      // The consumer had no room, so nothing is known.
      if (most === 0) continue;
      const noticedAt = this.#waiting.get(consumerId);
      const cutShort = full || (claimed.get(consumerId) ?? 0) >= most;
      if (cutShort) this.#behind.add(consumerId);
      else this.#behind.delete(consumerId);
      // A claim that was full before it came to this consumer leaves it its place in the order.
      if (full && noticedAt !== undefined && !claimed.has(consumerId)) continue;
      // Set again at the end of the order, so that the claims serve all consumers, round-robin.
      this.#waiting.delete(consumerId);
      if (cutShort || (noticedAt ?? 0) > began) this.#waiting.set(consumerId, noticedAt ?? began);
    }
    if (scope.kind === 'all') this.#lookedAt(round.next, beganMs);
  }

  #lookedAt(next: string | null, beganMs: number): void {
    this.#lookAfter = next;
    if (next !== null) return;
    this.#lookedMs = performance.now();
    this.#lookTookMs = this.#lookedMs - beganMs;
    if (this.#unknownSince !== null && this.#unknownSince <= this.#lookBegan) this.#unknownSince = null;
  }

  #advance(consumerId: string, eventId: string): void {
    const position = uuidFloor(new Date(uuidMs(eventId) - overlapMs));
    const before = this.#positions.get(consumerId);
    if (before === undefined || before < position) this.#positions.set(consumerId, position);
  }
}
