import type { AttemptResult } from '../../../workflows/messages.ts';
import type { AttemptReader, AttemptRow } from '../../events/attempt-row.ts';
import { BodyRoom } from '../body-room.ts';
import type { Slot } from '../slots.ts';

/** Reads the bodies that do not come with their row, as far as there is room for them in memory. */
export class LargeBodies {
  readonly #reader: Pick<AttemptReader, 'readBody'>;
  readonly #room = new BodyRoom();

  constructor(reader: Pick<AttemptReader, 'readBody'>) {
    this.#reader = reader;
  }

  /**
   * Calls `post` with the body. The attempt's slot is released unused when there is no room or no body.
   *
   * @returns what `post` has made, or the result of an attempt that was not made.
   */
  async withBody<Made>(
    row: AttemptRow,
    slot: Slot,
    post: (body: Uint8Array) => Promise<Made>,
  ): Promise<{ made: Made } | { result: AttemptResult }> {
    const { eventId, bodyBytes } = row;
    const room = this.#room.acquire({ accountId: row.account.id, eventId, bodyBytes }, performance.now());
    if ('waitMs' in room) {
      slot.release('unused');
      return { result: { kind: 'wait', waitMs: room.waitMs, reason: 'slots' } };
    }
    try {
      const body = await this.#reader.readBody(row);
      return body ? { made: await post(body) } : { result: { kind: 'stopped', reason: 'event_gone' } };
    } finally {
      // Unless `post` has released the slot, because the consumer has answered. It may also have sent nothing.
      slot.release('unused');
      room.release();
    }
  }
}
