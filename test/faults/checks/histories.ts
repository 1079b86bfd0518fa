import { setTimeout as sleep } from 'node:timers/promises';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { deliverEvent } from '../../../workflows/index.ts';
import type { DeliveryResult } from '../../../workflows/messages.ts';
import { connectTo } from '../../support/temporal-connection.ts';
import { resultOf } from '../../support/workflows.ts';
import type { ByHand } from '../by-hand.ts';
import type { Random } from '../random.ts';
import { type EventRow, isDead, type Rows } from '../rows.ts';
import { sampledHistories } from '../settings.ts';
import { some } from './some.ts';

/** For all workflows together. A workflow that has settled its event ends within moments; the server may be busy. */
const endLimitMs = 15_000;
const lookMs = 200;
const atOnce = 8;

/**
 * The workflow of each event has ended as its row says: all events that were not delivered, those that a person has touched
 * in Temporal, and a sample of the others.
 */
export async function checkHistories(
  { events }: Rows,
  { port, byHand, random }: { port: number; byHand: ByHand; random: Random },
): Promise<string[]> {
  const failed = events.filter((event) => !isDelivered(event));
  const retried = events.filter((event) => isDelivered(event) && event.attempts > 1);
  const others = events.filter((event) => isDelivered(event) && event.attempts <= 1);
  // Deliveries after a failure first: their workflows have more to agree on.
  const sample = [...random.shuffled(retried), ...random.shuffled(others)].slice(0, sampledHistories);
  const touched = events.filter((event) => isDelivered(event) && isTouched(byHand, event) && !sample.includes(event));
  const waiting = [...failed, ...touched, ...sample];
  const connection = await connectTo(`127.0.0.1:${port}`);
  const client = new Client({ connection });
  const differences: unknown[] = [];
  const endMs = performance.now() + endLimitMs;
  const compare = async () => {
    for (let event = waiting.pop(); event; event = waiting.pop()) {
      const difference = await differenceOf(client, event, { byHand, endMs });
      if (difference !== null) differences.push({ id: event.id, account: event.account, ...difference });
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, compare));
  } finally {
    await connection.close();
  }
  return some('workflows differ from the rows of their events', differences);
}

/** What differs between a workflow and its event's row; null if they agree. */
async function differenceOf(
  { workflow }: Client,
  event: EventRow,
  { byHand, endMs }: { byHand: ByHand; endMs: number },
): Promise<object | null> {
  const handle = workflow.getHandle<typeof deliverEvent>(`event-${event.id}`);
  try {
    // Not by a wait for the result, which would still be open when the connection is closed.
    let status = (await handle.describe()).status.name;
    while (status === 'RUNNING' && performance.now() < endMs) {
      await sleep(lookMs);
      status = (await handle.describe()).status.name;
    }
    // Nothing was left to do when a person ended it.
    if (byHand.ended.has(event.id) && (status === 'CANCELLED' || status === 'TERMINATED')) return null;
    const result = await resultOf(handle).catch(() => null);
    if (result === null) return { workflow: status, row: rowOf(event) };
    // An exhausted delivery is shown as failed, and no other one is.
    const isFailed = status === 'FAILED';
    const agree = isTouched(byHand, event) ? agreesByHand(result, event, byHand) : agrees(result, event);
    return agree && isFailed === (result.outcome === 'exhausted') ? null : { workflow: result, row: rowOf(event) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { workflow: 'none', row: rowOf(event) };
    return { workflow: String(error), row: rowOf(event) };
  }
}

const isDelivered = ({ deliveryStatus }: EventRow) => deliveryStatus === 'delivered';
const isTouched = ({ ended, signalled }: ByHand, { id }: EventRow) => ended.has(id) || signalled.has(id);

/** A workflow whose event's last attempt was recorded without it ends as `already_settled`. */
const endsOf = (event: EventRow) => [isDelivered(event) ? 'delivered' : 'exhausted', 'already_settled'];

const agrees = ({ outcome, attempts, generation }: DeliveryResult, event: EventRow): boolean =>
  endsOf(event).includes(outcome) && generation === event.generation && attempts === event.scheduledAttempts;

/** The run of a reset counts fewer attempts, and one that was signaled ends as the signal says. */
function agreesByHand({ outcome }: DeliveryResult, event: EventRow, { signalled }: ByHand): boolean {
  const bySignal = signalled.has(event.id) ? ['acknowledged', 'dead', 'superseded', 'delivered'] : [];
  return [...(isDead(event) ? ['dead', 'already_settled'] : endsOf(event)), ...bySignal].includes(outcome);
}

const rowOf = ({ status, deliveryStatus, scheduledAttempts }: EventRow) => ({
  ...{ status, deliveryStatus },
  attempts: scheduledAttempts,
});
