import type { Claimed } from '../events/queue.ts';
import type { Started } from '../events/transitions/started.ts';
import type { EngineLink } from './engine-link.ts';
import type { Leases } from './leases.ts';
import type { QueueWrites } from './queue-writes.ts';

/**
 * Makes sure that the workflow of a claimed event runs, as the event's row stands now, and answers with what is to be
 * noted about it. An event whose partition is gone needs none; the note takes it off the queue.
 *
 * @throws EngineUnavailable, and what the database throws.
 */
export async function ensureWorkflow(
  deps: { engine: EngineLink; writes: QueueWrites; leases: Leases },
  { eventId, generation }: Claimed,
): Promise<Started> {
  const event = await deps.writes.readForStart(eventId);
  const runId = event ? await deps.engine.call((engine) => engine.ensureRunning(event)) : null;
  return { eventId, generation: event?.generation ?? generation, token: deps.leases.token, runId };
}
