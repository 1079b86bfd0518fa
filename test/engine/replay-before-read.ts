import { onTestFinished, vi } from 'vitest';
import { QueueWrites } from '../../src/engine/queue-writes.ts';
import type { AdminClient } from '../support/admin-client.ts';

/**
 * Replays an event, as an operator does, after a process has claimed it and before the process reads it for its workflow.
 *
 * @returns resolves when the event is replayed.
 */
export function replayBeforeRead(admin: AdminClient, id: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { readForStart } = QueueWrites.prototype;
  const spy = vi.spyOn(QueueWrites.prototype, 'readForStart').mockImplementation(async function (
    this: QueueWrites,
    eventId,
  ) {
    if (eventId === id) {
      spy.mockRestore();
      const { status } = await admin.post(`/admin/events/${id}/replay`);
      if (status !== 202) throw new Error(`the replay was answered ${status}`);
      resolve();
    }
    return readForStart.call(this, eventId);
  });
  onTestFinished(() => spy.mockRestore());
  return promise;
}
