import { randomUUID } from 'node:crypto';
import { Client, WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { expect, onTestFinished, test } from 'vitest';
import type { deliverEvent } from '../../workflows/index.ts';
import { consumerForTest, startConsumer } from '../support/consumer.ts';
import { startGateway } from '../support/gateway.ts';
import { textsIn } from '../support/history.ts';
import { queryOnce } from '../support/one-connection.ts';
import { connectTo } from '../support/temporal-connection.ts';
import { until } from '../support/until.ts';
import { resultOf } from '../support/workflows.ts';

// Workflow histories have many readers: a failure names its kind, and the log of the worker has the rest.

async function stage(delaysMs: number[] = []) {
  const gateway = await startGateway({ apiDelivers: false, delaysMs });
  const consumer = await startConsumer(200);
  const { address } = gateway.temporal;
  const connection = await connectTo(address);
  onTestFinished(async () => {
    await connection.close();
    await gateway.stop();
    await consumer.close();
  });
  return { gateway, consumer, workflow: new Client({ connection }).workflow };
}

test('an attempt during an error of the database is retried; its history has neither statement nor names', async () => {
  const { gateway, consumer, workflow } = await stage([30_000]);
  consumer.replies = [500, 200];
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const { body } = await gateway.send(account, '{"id":"one","note":"payload-for-nobody"}');
  await gateway.admin.eventually(body.id, (event) => event.attempts === 1);
  await queryOnce(gateway.databaseUrl, 'alter table delivery_attempts rename to attempts_elsewhere');
  const handle = workflow.getHandle<typeof deliverEvent>(`event-${body.id}`);
  const failure = await until(
    'an attempt has failed',
    async () => (await handle.describe()).raw.pendingActivities?.[0]?.lastFailure,
    { retryErrors: true },
  );
  expect(failure).toMatchObject({
    message: "the database could not be used; see the worker's log for the reason",
    applicationFailureInfo: { type: 'Database', nonRetryable: false },
    cause: null,
  });
  await queryOnce(gateway.databaseUrl, 'alter table attempts_elsewhere rename to delivery_attempts');
  expect(await handle.result()).toMatchObject({ outcome: 'delivered' });
  const { events } = await handle.fetchHistory();
  const text = textsIn(events).join('\n');
  expect(text).toContain('the database could not be used');
  const details = ['delivery_attempts', 'select', 'relation', '42P01', 'payload-for-nobody', 'postgresql://', 'note'];
  expect(details.filter((detail) => text.includes(detail))).toEqual([]);
});

test('the result of an attempt has its response code or the kind of its error, and no word of the consumer', async () => {
  const { gateway, consumer, workflow } = await stage();
  const resultsOf = async (deliveryUrl: string) => {
    const account = await gateway.admin.createAccount({ delivery_url: deliveryUrl });
    const { body } = await gateway.send(account, '{"id":"one"}');
    const handle = workflow.getHandle<typeof deliverEvent>(`event-${body.id}`);
    await until('the workflow has ended', () => resultOf(handle), { retryErrors: true });
    const { events } = await handle.fetchHistory();
    return (events ?? []).flatMap(({ activityTaskCompletedEventAttributes: completed }) =>
      (completed?.result?.payloads ?? []).map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString())),
    );
  };
  const durationMs = expect.any(Number);
  expect(await resultsOf(consumer.url)).toEqual([
    { kind: 'delivered', outcome: 'delivered', responseCode: 200, durationMs },
  ]);
  const exhausted = { kind: 'exhausted', attempted: true, endsAs: 'failed', notifications: [], durationMs };
  const { url } = await consumerForTest(503);
  expect(await resultsOf(url)).toEqual([{ ...exhausted, outcome: 'http_error', responseCode: 503 }]);
  await consumer.close();
  expect(await resultsOf(consumer.url)).toEqual([{ ...exhausted, outcome: 'connection_refused' }]);
});

test('an attempt that can never succeed is not retried, and its workflow fails with the kind of the failure', async () => {
  const { gateway, workflow } = await stage();
  const { taskQueue } = gateway.temporal;
  const schedule = { delaysMs: [], timeLimitMs: 1_000, holdMs: 1_000, holdLimitMs: 1_000 };
  const resume = { attempts: 0, nextAttemptAt: null, settled: false };
  const failed = await workflow
    .execute<typeof deliverEvent>('deliverEvent', {
      ...{ workflowId: `event-${randomUUID()}`, taskQueue },
      args: [{ eventId: 'not-an-id-of-an-event', generation: 0, schedule, resume }],
    })
    .catch((error: unknown) => error);
  if (!(failed instanceof WorkflowFailedError && failed.cause instanceof ActivityFailure)) throw failed;
  const { cause } = failed.cause;
  expect(cause).toBeInstanceOf(ApplicationFailure);
  expect(cause).toMatchObject({
    ...{ type: 'RefusedData', nonRetryable: true },
    message: "PostgreSQL refuses the data; see the worker's log",
  });
});
