import { afterEach } from 'vitest';
import { type Consumer, startConsumer } from './consumer.ts';
import { startGateway } from './gateway.ts';
import type { TestGatewayOptions } from './gateway-options.ts';
import { operatorOf } from './operator.ts';
import { askToWait } from './replies.ts';
import { until } from './until.ts';
import { useForAll } from './use.ts';
import { openWorkflows } from './workflows.ts';

/** Long enough that no attempt becomes due during a test. */
const longWaitS = 1_000;

/** A gateway with its workflows and an operator, for tests of the whole lifecycle of an event. */
export async function openStage(options: TestGatewayOptions) {
  const gateway = await startGateway(options);
  const workflows = await openWorkflows(gateway);
  const consumers: Consumer[] = [];
  const stage = {
    gateway,
    workflows,
    operate: operatorOf(gateway.admin),
    /** A consumer that is closed with the stage. */
    async consumer(...replies: Consumer['replies']) {
      const consumer = await startConsumer(...replies);
      consumers.push(consumer);
      return consumer;
    },
    /** Sends one webhook to a new account that delivers to this consumer. */
    async sendTo(consumer: Consumer) {
      const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
      const { status, body } = await gateway.send(account, '{"id":"one","type":"order"}');
      if (status !== 202) throw new Error(`not accepted: ${status}`);
      return { id: body.id, accountId: account.id, slug: account.account_slug };
    },
    /** As {@link sendTo}, to a new consumer. */
    async sent(...replies: Consumer['replies']) {
      const consumer = await stage.consumer(...replies);
      return { consumer, ...(await stage.sendTo(consumer)) };
    },
    /**
     * Waits for the end of the event's workflow and returns the result of its latest run. Null if EVENT_WORKFLOWS=on_retry
     * lets the event leave the queue without one.
     */
    async workflowResult(id: string) {
      if (gateway.eventWorkflows === 'on_retry') {
        const queued = 'select 1 from event_queue where event_id = $1';
        await until('the event has left the queue', async () => (await gateway.rows(queued, [id])).length === 0);
        if (!(await workflows.latestRun(id))) return null;
      }
      return workflows.result(id);
    },
    /** Closes the consumers; after each test. */
    async clear() {
      await Promise.all(consumers.splice(0).map((consumer) => consumer.close()));
    },
    async close() {
      await stage.clear();
      await workflows.close();
      await gateway.stop();
    },
  };
  return stage;
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** One stage for all tests of a file, or of a `describe`. Its consumers are closed after each test. */
export function useStage(options: TestGatewayOptions): Stage {
  const stage = useForAll(
    () => openStage(options),
    (opened) => opened.close(),
  );
  afterEach(() => stage.clear());
  return stage;
}

/** An event after one attempt, which waits for `waitS` seconds because of the consumer's Retry-After. */
export async function waitingEvent({ gateway, sent }: Stage, waitS = longWaitS) {
  const { consumer, id } = await sent(askToWait(503, waitS), 200);
  const event = await gateway.admin.eventually(id, (e) => e.attempts === 1 && e.status === 'enqueued');
  return { id, consumer, event };
}

/** Waits until the event's latest run is another one than this, with this status, and returns it. */
export const anotherRun = ({ workflows }: Stage, id: string, runId: string, wanted: 'RUNNING' | 'COMPLETED') =>
  until('another run follows', async () => {
    const latest = await workflows.status(id);
    return latest.status === wanted && latest.runId !== runId && latest.runId;
  });

/** A delivered event whose workflow has completed, if it has one. */
export async function deliveredEvent({ gateway, workflowResult, sent }: Stage) {
  const { consumer, id } = await sent();
  await workflowResult(id);
  const event = await gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered' && e.status === 'enqueued');
  return { id, consumer, event };
}

/** An event whose attempts all failed. Its consumer accepts further attempts. Needs a short schedule. */
export async function exhaustedEvent({ gateway, workflows, sent }: Stage) {
  const { consumer, id } = await sent(500);
  await workflows.result(id);
  const event = await gateway.admin.eventually(id, (e) => e.delivery_status === 'failed');
  consumer.replies = [200];
  return { id, consumer, event };
}

/** An event that was marked dead after one failed attempt. Its consumer accepts further attempts. */
export async function deadEvent(stage: Stage) {
  const { id, consumer } = await waitingEvent(stage);
  await stage.operate.dead(id);
  await stage.workflows.result(id);
  return { id, consumer, event: await stage.gateway.admin.event(id) };
}
