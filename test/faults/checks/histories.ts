import { setTimeout as sleep } from 'node:timers/promises';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { deliverEvent } from '../../../workflows/index.ts';
import type { DeliveryResult } from '../../../workflows/messages.ts';
import { connectTo } from '../../support/temporal-connection.ts';
import { resultOf } from '../../support/workflows.ts';
import type { Random } from '../random.ts';
import type { EventRow, Rows } from '../rows.ts';
import { sampledHistories } from '../settings.ts';
import { some } from './some.ts';

/** For all workflows together. A workflow that has settled its event ends within moments; the server may be busy. */
const endLimitMs = 15_000;
const lookMs = 200;
const atOnce = 8;

/**
 * The workflow of each event has ended as its row says: all events that were not delivered, and a sample of the others.
 */
export async function checkHistories({ events }: Rows, port: number, random: Random): Promise<string[]> {
  const failed = events.filter(({ deliveryStatus }) => deliveryStatus !== 'delivered');
  const retried = events.filter(({ deliveryStatus, attempts }) => deliveryStatus === 'delivered' && attempts > 1);
  const others = events.filter(({ deliveryStatus, attempts }) => deliveryStatus === 'delivered' && attempts <= 1);
  // Deliveries after a failure first: their workflows have more to agree on.
  const sample = [...shuffled(retried, random), ...shuffled(others, random)].slice(0, sampledHistories);
  const waiting = [...failed, ...sample];
  const connection = await connectTo(`127.0.0.1:${port}`);
  const client = new Client({ connection });
  const differences: unknown[] = [];
  const endMs = performance.now() + endLimitMs;
  const compare = async () => {
    for (let event = waiting.pop(); event; event = waiting.pop()) {
      const difference = await differenceOf(client, event, endMs);
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
async function differenceOf({ workflow }: Client, event: EventRow, endMs: number): Promise<object | null> {
  const handle = workflow.getHandle<typeof deliverEvent>(`event-${event.id}`);
  try {
    // Not by a wait for the result, which would still be open when the connection is closed.
    let status = (await handle.describe()).status.name;
    while (status === 'RUNNING' && performance.now() < endMs) {
      await sleep(lookMs);
      status = (await handle.describe()).status.name;
    }
    const result = await resultOf(handle).catch(() => null);
    if (result === null) return { workflow: status, row: rowOf(event) };
    // An exhausted delivery is shown as failed, and no other one is.
    const isFailed = status === 'FAILED';
    return agrees(result, event) && isFailed === (result.outcome === 'exhausted')
      ? null
      : { workflow: result, row: rowOf(event) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { workflow: 'none', row: rowOf(event) };
    return { workflow: String(error), row: rowOf(event) };
  }
}

/** A workflow whose event's last attempt was recorded without it ends as `already_settled`. */
function agrees({ outcome, attempts, generation }: DeliveryResult, event: EventRow): boolean {
  const ends = [event.deliveryStatus === 'delivered' ? 'delivered' : 'exhausted', 'already_settled'];
  return ends.includes(outcome) && generation === event.generation && attempts === event.scheduledAttempts;
}

const rowOf = ({ deliveryStatus, scheduledAttempts }: EventRow) => ({ deliveryStatus, attempts: scheduledAttempts });

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, key: random.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
