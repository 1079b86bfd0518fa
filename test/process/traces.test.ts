import { describe, expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { accountForTest, consumerForTest } from '../support/consumer.ts';
import { sharedServers, startedFolder, startWholeGateway } from '../support/gateway-all.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { payloadMarker, secretInUrl, secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { type Collector, collectorForTest, traceparentOf } from '../tracing/collector.ts';
import type { ReceivedSpan } from '../tracing/otlp.ts';

gatewaysEndWithTheirTest();

const quickSchedule = Array.from({ length: 9 }, () => '100ms').join(',');
const foreign = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const [, foreignTrace] = foreign.split('-');

/** `npm start` on the servers of the test run, with this collector. */
const traced = async (collector: Collector, more: Record<string, string> = {}) =>
  startWholeGateway(await startedFolder(), {
    ...(await sharedServers()),
    DELIVERY_SCHEDULE: quickSchedule,
    LOG_LEVEL: 'info',
    EVENT_WORKFLOWS: 'always',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...more,
  });

const isWebhook = ({ name }: ReceivedSpan) => name === 'POST /{provider}/{account_slug}';
const isAttempt = ({ name }: ReceivedSpan) => name === 'delivery attempt';
const of = (eventId: string) => (span: ReceivedSpan) => span.attributes['gateway.event_id'] === eventId;
const linksTo = (webhook: ReceivedSpan) => (span: ReceivedSpan) =>
  span.links.some(({ traceId, spanId }) => traceId === webhook.traceId && spanId === webhook.spanId);

describe.each(['http/protobuf', 'http/json'])('over %s', (protocol) => {
  test('the request to the consumer is found from the span of the webhook: first attempt, retry and replay', async () => {
    const collector = await collectorForTest();
    const gateway = await traced(collector, {
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${secretText('collector')}`,
      OTEL_EXPORTER_OTLP_COMPRESSION: protocol === 'http/json' ? 'gzip' : 'none',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    const consumer = await consumerForTest(503, 200);
    const query = secretInUrl('query');
    const account = await gateway.admin.createAccount({
      delivery_url: `${consumer.url}?token=${query}`,
      delivery_secret: secretText('delivery'),
    });
    const answer = await send(gateway.baseUrl, account, JSON.stringify({ id: 'one', text: `${payloadMarker}-text` }), {
      'content-type': 'application/json',
      traceparent: foreign,
      tracestate: 'vendor=value',
      baggage: 'user=someone',
    });
    const { id } = answer.body;
    await gateway.admin.eventually(id, (event) => event.delivery_status === 'delivered');
    await gateway.admin.post(`/admin/events/${id}/replay`);
    await gateway.admin.eventually(id, (event) => event.generation === 1 && event.delivery_status === 'delivered');

    const [webhook] = await collector.received('the webhook', (span) => isWebhook(span) && of(id)(span));
    if (!webhook) throw new Error('no webhook');
    const attempts = await collector.received('three attempts', (s) => isAttempt(s) && linksTo(webhook)(s), 3);
    // Each request of the consumer carries the span of its attempt, and nothing of the sender.
    const ofRequests = consumer.deliveries.map(({ headers }) => headers.traceparent);
    expect(ofRequests.toSorted()).toEqual(attempts.map((span) => traceparentOf(span)).toSorted());
    for (const { headers } of consumer.deliveries)
      expect([headers.tracestate, headers.baggage]).toEqual([undefined, undefined]);

    const inOrder = ofRequests.map((header) => attempts.find((span) => traceparentOf(span) === header));
    expect(inOrder.map((span) => span?.attributes)).toEqual([
      expect.objectContaining({ 'gateway.generation': 0, 'gateway.attempt': 1, 'gateway.outcome': 'http_error' }),
      expect.objectContaining({ 'gateway.generation': 0, 'gateway.attempt': 2, 'gateway.outcome': 'delivered' }),
      expect.objectContaining({ 'gateway.generation': 1, 'gateway.attempt': 1, 'gateway.outcome': 'delivered' }),
    ]);
    // The first attempt by the api, the retry through a workflow by the worker, the replay as a first attempt.
    expect(inOrder.map((span) => span?.resource['gateway.role'])).toEqual(['api', 'worker', 'api']);
    expect(inOrder.map((span) => span?.status)).toEqual([2, 0, 0]);
    expect(inOrder.map((span) => span?.parentSpanId)).toEqual(['', '', '']);
    expect(new Set([webhook, ...attempts].map(({ traceId }) => traceId)).size).toBe(4);
    expect(inOrder[0]?.attributes).toMatchObject({
      'gateway.account': account.account_slug,
      'http.request.method': 'POST',
      'http.response.status_code': 503,
      'server.address': '127.0.0.1',
      'server.port': consumer.port,
      'url.full': consumer.url,
    });
    expect(webhook).toMatchObject({
      kind: 2,
      parentSpanId: '',
      attributes: {
        'gateway.result': 'accepted',
        'http.response.status_code': 202,
        'gateway.account': account.account_slug,
      },
      resource: { 'service.name': 'webhook-gateway', 'gateway.role': 'api', 'deployment.environment.name': 'test' },
    });
    // The sender is not continued, only linked to.
    expect(webhook.traceId).not.toBe(foreignTrace);
    expect(webhook.links).toEqual([{ traceId: foreignTrace, spanId: foreign.split('-')[2] }]);

    // Those of the warm-up were not real.
    expect(collector.spans.filter((span) => isWebhook(span) && !of(id)(span))).toEqual([]);

    // Statements and the calls to Temporal.
    const childrenOf = (parent: ReceivedSpan) =>
      collector.spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId).map(({ name }) => name);
    expect(childrenOf(webhook)).toEqual(expect.arrayContaining(['receive_events', 'StartWorkflow:deliverEvent']));
    expect(inOrder.flatMap((span) => (span ? childrenOf(span) : []))).toContain('record_outcomes');
    expect(inOrder[1] ? childrenOf(inOrder[1]).toSorted() : []).toEqual(['read_attempts', 'record_outcomes']);
    await collector.received(
      'the signal of the replay',
      (s) => s.name === 'SignalWithStartWorkflow:deliverEvent' && linksTo(webhook)(s),
    );

    const { path, headers } = collector.requests[0] ?? {};
    expect([path, headers?.authorization]).toEqual(['/v1/traces', `Bearer ${secretText('collector')}`]);
    const text = collector.requests.map((request) => request.text).join('');
    for (const hidden of [query, secretText('delivery'), `${payloadMarker}-text`, gateway.adminToken, 'someone'])
      expect(text).not.toContain(hidden);
    // Log lines of both processes name the spans.
    const lines = gateway
      .stderr()
      .split('\n')
      .filter((line) => line.includes(id) && /"msg":"(event|attempt)"/.test(line));
    expect(lines.map((line) => JSON.parse(line).span_id)).toEqual([webhook, ...inOrder].map((span) => span?.spanId));
    expect(lines.map((line) => JSON.parse(line).trace_id)).toEqual([webhook, ...inOrder].map((span) => span?.traceId));
    await gateway.stop();
  });
});

test('a collector that is down delays nothing and costs one log line in each process', async () => {
  const startMs = Date.now();
  const collector = await collectorForTest();
  const gateway = await traced(collector, {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_TIMEOUT: '300',
  });
  const { account } = await accountForTest(gateway.admin);
  for (let n = 0; n < 5; n++) {
    const { body } = await send(gateway.baseUrl, account, JSON.stringify({ id: `event-${n}` }));
    await gateway.admin.eventually(
      body.id,
      (event) => event.delivery_status === 'delivered' && event.status === 'enqueued',
    );
  }
  await until('the log tells of it', () => gateway.stderr().includes('traces not exported'));
  expect((await gateway.stop()).code).toBe(0);
  const told = gateway
    .stderr()
    .split('\n')
    .filter((line) => line.includes('traces not exported'));
  // One a minute, and the machine may be busy.
  expect(told.length).toBeLessThanOrEqual(2 * Math.ceil((Date.now() - startMs) / 60_000));
  expect(JSON.parse(told[0] ?? '{}')).toMatchObject({ level: 40, collector: '127.0.0.1:9', reason: 'ECONNREFUSED' });
});
