import { Client } from '@temporalio/client';
import { connectTo } from '../../support/temporal-connection.ts';
import type { ByHand, Cancellation } from '../by-hand.ts';
import type { Seen } from '../consumer.ts';
import type { Injected } from '../inject.ts';
import { isDead, type Rows } from '../rows.ts';
import { disruptionsOf } from './disruptions.ts';
import { some } from './some.ts';

/** Within this time a cancelled delivery is dead (docs/temporal-web-ui.md). */
const deadWithinMs = 5_000;

/**
 * Only events whose workflow a person has cancelled are dead, each with one entry in the audit log, and none of those is
 * attempted again.
 */
export async function checkCancelled(
  { events, cancelled }: Rows,
  run: { port: number; byHand: ByHand; seen: readonly Seen[]; injected: readonly Injected[] },
): Promise<string[]> {
  const { cancellations } = run.byHand;
  const asked = new Set(cancellations.map(({ eventId }) => eventId));
  const dead = events.filter(isDead).map(({ id }) => id);
  const logged = Map.groupBy(cancelled, (id) => id);
  const otherFaults = run.injected.filter(({ action }) => action.do !== 'end-workflows');
  const disruptions = disruptionsOf(otherFaults, ['api', 'worker']);
  const closed = await closedMs(run.port, cancellations);
  const posts = Map.groupBy(run.seen, ({ eventId }) => eventId);
  const again = closed.flatMap(({ eventId, atMs }) =>
    (posts.get(eventId) ?? [])
      .filter((post) => post.atMs > atMs + deadWithinMs && !disruptions.between(atMs, post.atMs))
      .map(({ number, atMs: postedMs }) => ({ eventId, number, afterMs: postedMs - atMs })),
  );
  return [
    ...some(
      'events are dead that no person has cancelled',
      dead.filter((id) => !asked.has(id)),
    ),
    ...some(
      'dead events have not one entry in the audit log',
      dead.filter((id) => logged.get(id)?.length !== 1),
    ),
    ...some(
      'entries in the audit log are of events that are not dead',
      cancelled.filter((id) => !dead.includes(id)),
    ),
    ...some('cancelled deliveries were attempted again, and no other fault explains it', again),
  ];
}

/** When the runs closed that have ended as cancelled. One that ended otherwise was faster than the cancellation. */
async function closedMs(port: number, cancellations: readonly Cancellation[]) {
  const connection = await connectTo(`127.0.0.1:${port}`);
  const { workflow } = new Client({ connection });
  const closed: { eventId: string; atMs: number }[] = [];
  try {
    for (const { eventId, runId } of cancellations) {
      const { status, closeTime } = await workflow.getHandle(`event-${eventId}`, runId).describe();
      if (status.name === 'CANCELLED' && closeTime) closed.push({ eventId, atMs: closeTime.getTime() });
    }
  } finally {
    await connection.close();
  }
  return closed;
}
