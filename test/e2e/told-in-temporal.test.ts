import { Client, defaultPayloadConverter } from '@temporalio/client';
import { expect, onTestFinished, test } from 'vitest';
import { exhaustedFailure } from '../../workflows/messages.ts';
import { consumerForTest } from '../support/consumer.ts';
import { startGateway } from '../support/gateway.ts';
import { connectTo } from '../support/temporal-connection.ts';
import { until } from '../support/until.ts';

// What a person reads of a delivery in Temporal's Web UI.

/** The first two are longer than a workflow may be late: without time left it sets no timer, which has a summary. */
const delaysMs = [20_000, 20_000, ...Array(7).fill(3_600_000)];
const payloadNote = 'payload-for-nobody';

async function stage(options: { delaysMs: number[] }) {
  const gateway = await startGateway({ ...options, eventWorkflows: 'always' });
  const { address } = gateway.temporal;
  const connection = await connectTo(address);
  onTestFinished(async () => {
    await connection.close();
    await gateway.stop();
  });
  const { workflow } = new Client({ connection });
  const sent = async (deliveryUrl: string, type = 'order.paid') => {
    const account = await gateway.admin.createAccount({ delivery_url: deliveryUrl });
    const { body } = await gateway.send(account, JSON.stringify({ id: 'one', type, note: payloadNote }));
    const handle = workflow.getHandle(`event-${body.id}`);
    const described = await until('there is a workflow', () => handle.describe(), { retryErrors: true });
    return {
      account,
      id: body.id,
      handle,
      summary: await described.staticSummary(),
      details: (await described.staticDetails()) ?? '',
      /** What the Web UI asks for when it shows a workflow. */
      async current(): Promise<string> {
        const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
        return metadata.currentDetails ?? '';
      },
      async summaries() {
        const { events } = await handle.fetchHistory();
        return (events ?? []).flatMap(({ userMetadata, eventId }) =>
          userMetadata?.summary && Number(eventId) > 1
            ? [defaultPayloadConverter.fromPayload(userMetadata.summary)]
            : [],
        );
      },
    };
  };
  return { gateway, sent, workflow };
}

test('a delivery by the first attempt says whose it is, and how it was answered before the workflow', async () => {
  const { gateway, sent } = await stage({ delaysMs });
  const { account, id, handle, summary, details } = await sent((await consumerForTest(200)).url);
  const name = `${account.provider}/${account.account_slug}`;
  expect(summary).toBe(`${name} order.paid`);
  expect(details.split('\n')).toEqual([
    `- Account: \`${name}\``,
    '- Event type: `order.paid`',
    `- [Event in the console](${gateway.baseUrl}/dashboard/events/${id})`,
    expect.stringMatching(
      /^- Before this workflow: attempt 1 of 10: 200 in \d+ ms \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\)$/,
    ),
    '- At its start, the delivery had ended: delivered',
  ]);
  const { events } = await handle.fetchHistory();
  const input = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  expect(input && defaultPayloadConverter.fromPayload(input)).toMatchObject({
    resume: {
      lastAttempt: {
        number: 1,
        at: expect.any(String),
        outcome: 'delivered',
        responseCode: 200,
        durationMs: expect.any(Number),
      },
    },
  });
});

test('a type from a payload is neither Markdown nor longer than Temporal allows', async () => {
  const { sent } = await stage({ delaysMs });
  const { summary, details } = await sent(
    (await consumerForTest(200)).url,
    `\`](https://evil.test)\n# ${'ü'.repeat(180)}`,
  );
  expect(details.split('\n').filter((line) => line.startsWith('#'))).toEqual([]);
  expect(details).toContain("- Event type: `'](https://evil.test) # üü");
  expect(summary).toMatch(/ü…$/);
});

test('the longest names keep no event from its workflow', async () => {
  const { gateway, workflow } = await stage({ delaysMs: [1_000] });
  const account = await gateway.admin.createAccount({ account_slug: 'a'.repeat(100) });
  const consumer = await consumerForTest(500, 200);
  const name = 'c'.repeat(40);
  await gateway.admin.post(`/admin/accounts/${account.id}/consumers`, { name, url: consumer.url });
  await gateway.send(account, JSON.stringify({ id: 'one', type: '訂'.repeat(255) }));
  const event = await until('it is delivered', async () => {
    const [row] = await gateway.rows(`select id, attempts from events where delivery_status = 'delivered'`);
    return row;
  });
  expect(event.attempts).toBe(2);
  const described = await workflow.getHandle(`event-${event.id}`).describe();
  const { summary } = described.raw.executionConfig?.userMetadata ?? {};
  // Newer servers than that of the tests refuse more than 400 bytes; the payload has 27 besides its data.
  expect(summary?.data?.length).toBeLessThanOrEqual(400 - 27);
  expect(await described.staticSummary()).toMatch(new RegExp(`^generic/a{100} to ${name} 訂{60,}…$`));
});

test('a waiting delivery says what it waits for, and what came of each attempt', async () => {
  const { sent } = await stage({ delaysMs });
  const { current, summaries } = await sent((await consumerForTest(500, 503, 500)).url);
  const shown = await until(
    'three attempts have failed',
    async () => {
      const text = await current();
      return text.includes('attempt 3 of 10: 500') && text;
    },
    200_000,
  );
  const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`;
  const lines = [
    String.raw`\*\*Waits for attempt 4 of 10 until ${time}\*\*`,
    '',
    String.raw`- attempt 1 of 10: 500 in \d+ ms \(${time}\), before this workflow`,
    String.raw`- attempt 2 of 10: 503 in \d+ ms \(${time}\)`,
    String.raw`- attempt 3 of 10: 500 in \d+ ms \(${time}\)`,
  ];
  expect(shown).toMatch(new RegExp(`^${lines.join('\\n')}$`));
  expect(await summaries()).toEqual([
    expect.stringMatching(/^attempt 2 of 10 in \d+ s$/),
    'attempt 2 of 10',
    expect.stringMatching(/^attempt 3 of 10 in \d+ s$/),
    'attempt 3 of 10',
    expect.stringMatching(/^attempt 4 of 10 in [56]\d min$/),
  ]);
});

test('a delivery that waits for its account says so', async () => {
  const { gateway, sent } = await stage({ delaysMs: [30_000, 30_000] });
  const { current, account } = await sent((await consumerForTest(500)).url);
  await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, { enabled: false });
  await until('it waits', async () =>
    /^\*\*Waits in the queue until its account is enabled, after 1 attempt\*\*/.test(await current()),
  );
});

test('an exhausted delivery is shown as failed', async () => {
  const { sent } = await stage({ delaysMs: [100] });
  const { handle, current } = await sent((await consumerForTest(500)).url);
  const status = await until('the workflow has ended', async () => {
    const { status } = await handle.describe();
    return status.name !== 'RUNNING' && status.name;
  });
  expect(status).toBe('FAILED');
  expect(await current()).toMatch(/^\*\*Exhausted: no attempt is left, after 2 attempts\*\*/);
  const { events } = await handle.fetchHistory();
  const { failure } = events?.at(-1)?.workflowExecutionFailedEventAttributes ?? {};
  expect(failure?.message).toBe('The delivery is exhausted after 2 attempts');
  expect(failure?.applicationFailureInfo?.type).toBe(exhaustedFailure);
});
