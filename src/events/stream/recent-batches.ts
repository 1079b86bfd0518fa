import type { EventRow } from '../event.ts';
import { boundsOf } from './read-changes.ts';
import type { Batch } from './stream-reader.ts';

/** Events that are kept for clients that resume: a few seconds of the highest rate, hours of a low one. */
const mostEvents = 5_000;
/** Batches that are kept: ten minutes, when each read finds something. */
const mostBatches = 1_200;

/** The last batches of a process, from which a stream resumes. */
export class RecentBatches {
  /** The position before the first batch. */
  #start: string;
  readonly #batches: Batch[] = [];
  #events = 0;

  /** @param start a snapshot; later changes are added. */
  constructor(start: string) {
    this.#start = start;
  }

  add(batch: Batch): void {
    this.#batches.push(batch);
    this.#events += batch.events.length;
    while (this.#batches.length > mostBatches || (this.#events > mostEvents && this.#batches.length > 1)) {
      const gone = this.#batches.shift();
      if (!gone) break;
      this.#events -= gone.events.length;
      this.#start = gone.id;
    }
  }

  /**
   * The changes after a position, as one batch; null when it is too old. The position may be one of another process.
   * Then the changes begin earlier rather than later, so that some are reported twice and none is missed.
   *
   * @param now the present position
   */
  after(position: string, now: string): Batch | null {
    const missed = this.#batchesAfter(position, now);
    if (missed === null) return null;
    const events = new Map<string, EventRow>();
    for (const batch of missed) {
      for (const event of batch.events) {
        // Behind the others, as the event has changed last.
        events.delete(event.id);
        events.set(event.id, event);
      }
    }
    return {
      events: [...events.values()],
      leftOut: missed.reduce((sum, { leftOut }) => sum + leftOut, 0),
      reset: missed.find(({ reset }) => reset !== null)?.reset ?? null,
      id: now,
    };
  }

  #batchesAfter(position: string, now: string): Batch[] | null {
    const same = this.#batches.findLastIndex(({ id }) => id === position);
    if (same >= 0) return this.#batches.slice(same + 1);
    if (position === this.#start) return this.#batches;
    const { xmin, xmax } = boundsOf(position);
    // A position that is ahead comes from another process, or from another database.
    if (boundsOf(this.#start).xmax > xmin || xmax > boundsOf(now).xmax) return null;
    return this.#batches.filter(({ id }) => boundsOf(id).xmax > xmin);
  }
}

/** Whether a text has the form of a position (pg_snapshot). Longer ones would need more transactions than PostgreSQL has. */
export const isPosition = (text: string): boolean =>
  text.length <= 10_000 && /^\d{1,19}:\d{1,19}:(\d{1,19}(,\d{1,19})*)?$/.test(text);
