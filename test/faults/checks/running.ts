import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { connectTo } from '../../support/temporal-connection.ts';
import { eventOf } from '../by-hand.ts';
import type { Rows } from '../rows.ts';
import { some } from './some.ts';

/** A workflow that has settled its event ends within moments; Temporal lists that a moment later. */
const endLimitMs = 15_000;
const lookMs = 500;

/** Exactly the events that are pending have a running workflow, or wait in the queue for one. */
export async function checkRunning({ events, queued }: Rows, port: number): Promise<string[]> {
  const connection = await connectTo(`127.0.0.1:${port}`);
  const { workflow } = new Client({ connection });
  const pending = new Set(events.filter(({ deliveryStatus }) => deliveryStatus === 'pending').map(({ id }) => id));
  const listed = async () => {
    const running = new Set<string>();
    const query = `WorkflowType = 'deliverEvent' AND ExecutionStatus = 'Running'`;
    for await (const { workflowId } of workflow.list({ query })) running.add(eventOf(workflowId));
    return running;
  };
  try {
    const endMs = performance.now() + endLimitMs;
    let running = await listed();
    for (; [...running].some((id) => !pending.has(id)) && performance.now() < endMs; await sleep(lookMs))
      running = await listed();
    const waiting = new Set([...running, ...queued]);
    return [
      ...some(
        'workflows run although their event is settled',
        [...running].filter((id) => !pending.has(id)),
      ),
      ...some(
        'pending events have no workflow, and do not wait for one',
        [...pending].filter((id) => !waiting.has(id)),
      ),
    ];
  } finally {
    await connection.close();
  }
}
