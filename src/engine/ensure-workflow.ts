import type { Claimed } from '../events/queue.ts';
import type { Started } from '../events/transitions/started.ts';
import type { HeldClaims } from '../processes/held-claims.ts';
import type { EngineLink } from './engine-link.ts';
import type { QueueWrites } from './queue-writes.ts';

/**
 * Starts or signals the workflow of a claimed event, by the present state of the event's row. An event whose partition
 * was dropped, or that was settled after its workflow was started and has no notifications to send, needs none; the
 * returned record then only removes it from the queue. After a replay, the record changes nothing.
 *
 * @returns the record for `QueueWrites.markStarted`.
 * @throws EngineUnavailable, and the database's errors.
 */
export async function ensureWorkflow(
  deps: { engine: EngineLink; writes: QueueWrites; claims: HeldClaims },
  { eventId, generation }: Claimed,
): Promise<Started> {
  const event = await deps.writes.readForStart(eventId);
  // A replay since the claim has queued the event for a first attempt by an api. A workflow would make it at the same time.
  const isReplayed = event !== null && event.generation !== generation;
  const isDone =
    event !== null &&
    event.startedGeneration >= event.generation &&
    event.deliveryStatus !== 'pending' &&
    event.notifications === null;
  const needsNone = event === null || isReplayed || isDone;
  const runId = needsNone ? null : await deps.engine.call((engine) => engine.ensureRunning(event));
  return { eventId, generation, token: deps.claims.token, runId };
}
