import { setTimeout as sleep } from 'node:timers/promises';
import { measure } from './measure.ts';
import type { Stage } from './stage.ts';

const firstEvents = { events: 300, rate: 50, connections: 64, bytes: 1000 };
const drainLimitMs = 300_000;

/** Sends a few hundred events and waits for their workflows, so that code is compiled and connections are open. */
export async function warmUp(stage: Stage): Promise<void> {
  await measure(stage, { ...firstEvents, targets: [await stage.account()] });
  await queueEmpty(stage);
}

/** Waits until the dispatcher has nothing to do, so that the workflows of one load do not slow down the next. */
async function queueEmpty(stage: Stage): Promise<void> {
  const endMs = Date.now() + drainLimitMs;
  for (;;) {
    const [row] = await stage.query<{ queued: number }>('select count(*)::integer as queued from event_queue');
    if (row?.queued === 0) return;
    if (Date.now() > endMs) throw new Error(`${row?.queued} events have got no workflow`);
    await sleep(200);
  }
}
