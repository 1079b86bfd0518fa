import { expect, test } from 'vitest';
import { accountForTest, consumerForTest } from '../support/consumer.ts';
import { queryOnce } from '../support/one-connection.ts';
import { payloadMarker, secretInUrl, secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';
import { collectorForTest, traceparentOf } from '../tracing/collector.ts';
import type { ReceivedSpan } from '../tracing/otlp.ts';
import { tracedForTest, tracingForTest } from '../tracing/tracing-here.ts';

// The traces of events (docs/tracing.md). The processes of `npm start`: test/process/traces.test.ts.

const gateway = useGateway();

const sender = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const traceHeaders = { traceparent: sender, tracestate: 'vendor=value', baggage: 'user=someone' };
const json = { 'content-type': 'application/json' };

const attemptsOf = (id: string) => (span: ReceivedSpan) =>
  span.name === 'delivery attempt' && span.attributes['gateway.event_id'] === id;

async function storedTraceparent(id: string): Promise<string | null | undefined> {
  const rows = await queryOnce<{ traceparent: string | null }>(
    gateway.databaseUrl,
    'select traceparent from event_payloads where event_id = $1',
    [id],
  );
  return rows[0]?.traceparent;
}

test('while tracing is off, the trace headers of a sender are forwarded, and nothing is stored or sent', async () => {
  const collector = await collectorForTest();
  const { consumer, account } = await accountForTest(gateway.admin);
  const { body } = await gateway.send(account, '{}', { ...json, ...traceHeaders });
  const delivery = await until('the delivery', () => consumer.deliveries[0]);
  expect(delivery.headers).toMatchObject(traceHeaders);
  expect(await storedTraceparent(body.id)).toBeNull();
  expect(collector.requests).toEqual([]);

  // After tracing was turned on, the next attempt of the event has a span that links to none.
  await gateway.admin.eventually(body.id, (event) => event.delivery_status === 'delivered');
  await tracingForTest({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
  await gateway.admin.post(`/admin/events/${body.id}/replay`);
  const again = await until('the replay', () => consumer.deliveries[1]);
  const [attempt] = await collector.received('its attempt', attemptsOf(body.id));
  expect(attempt?.links).toEqual([]);
  expect(again.headers.traceparent).toBe(attempt && traceparentOf(attempt));
  expect([again.headers.tracestate, again.headers.baggage]).toEqual([undefined, undefined]);
});

test('always_on: an unsampled webhook is linked to by sampled attempts', async () => {
  const collector = await collectorForTest();
  const { consumer, account } = await accountForTest(gateway.admin);
  const off = await tracingForTest({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_TRACES_SAMPLER: 'always_off',
  });
  const { body } = await gateway.send(account, '{}', { ...json, ...traceHeaders });
  await gateway.admin.eventually(body.id, (event) => event.delivery_status === 'delivered');
  const stored = (await storedTraceparent(body.id)) ?? '';
  expect(stored).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  expect(consumer.deliveries[0]?.headers.traceparent).toMatch(/-00$/);
  await off.stop();
  expect(collector.spans).toEqual([]);

  await tracingForTest({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_TRACES_SAMPLER: 'always_on' });
  await gateway.admin.post(`/admin/delivery/retry/${body.id}`);
  const [attempt] = await collector.received('the retry', attemptsOf(body.id));
  const [, traceId = '', spanId = ''] = stored.split('-');
  expect(attempt?.links).toEqual([{ traceId, spanId }]);
  expect(attempt?.attributes).toMatchObject({ 'gateway.trigger': 'manual', 'gateway.attempt': 1 });
  // Of this event: the workflow of the test before may be started only now.
  const [signal] = await collector.received(
    'the signal',
    ({ name, attributes }) =>
      name === 'SignalWithStartWorkflow:deliverEvent' && attributes['gateway.event_id'] === body.id,
  );
  expect(signal?.links).toEqual([{ traceId, spanId }]);
});

test('TRACE_CONTINUE_INBOUND: the webhook continues the trace of its sender, the attempt does not', async () => {
  const collector = await tracedForTest({ TRACE_CONTINUE_INBOUND: 'true' });
  const { consumer, account } = await accountForTest(gateway.admin);
  const { body } = await gateway.send(account, '{}', { ...json, ...traceHeaders });
  const [attempt] = await collector.received('the attempt', attemptsOf(body.id));
  const [webhook] = await collector.received('the webhook', ({ kind }) => kind === 2);
  const [, traceId, parentSpanId] = sender.split('-');
  expect(webhook).toMatchObject({ traceId, parentSpanId, links: [] });
  expect(attempt).toMatchObject({ parentSpanId: '', links: [{ traceId, spanId: webhook?.spanId }] });
  expect(attempt?.traceId).not.toBe(traceId);
  expect(consumer.deliveries[0]?.headers.tracestate).toBeUndefined();
});

test('notifications link to the webhook and show no address', async () => {
  const collector = await tracedForTest();
  const [consumer, hook, broken] = [await consumerForTest(500), await consumerForTest(), await consumerForTest(410)];
  const account = await gateway.admin.createAccount({ delivery_url: `${consumer.url}?key=${secretInUrl('query')}` });
  for (const { url } of [hook, broken])
    await gateway.admin.post(`/admin/accounts/${account.id}/destinations`, {
      ...{ destination_type: 'webhook', name: 'Ops' },
      config: { url: `${url}/${secretInUrl('path')}`, secret: secretText('hook') },
    });
  const { body } = await gateway.send(account, `{"text":"${payloadMarker}"}`);
  await gateway.admin.eventually(body.id, (event) => event.status === 'failed');
  const [webhook] = await collector.received('the webhook', ({ kind }) => kind === 2);
  const isNotification = ({ name }: ReceivedSpan) => name === 'notification';
  const [sent] = await collector.received('the sent one', (s) => isNotification(s) && s.status === 0);
  const [failed] = await collector.received('the failed one', (s) => isNotification(s) && s.status === 2);
  for (const span of [sent, failed])
    expect(span?.links).toEqual([{ traceId: webhook?.traceId, spanId: webhook?.spanId }]);
  expect(sent?.attributes).toMatchObject({
    ...{ 'gateway.event_id': body.id, 'gateway.destination_type': 'webhook', 'gateway.outcome': 'sent' },
    ...{ 'gateway.attempt': 1, 'http.response.status_code': 200 },
  });
  await collector.received('the last attempt', (span) => span.attributes['gateway.attempt'] === 3);
  const text = collector.requests.map((request) => request.text).join();
  for (const hidden of [secretInUrl('query'), secretInUrl('path'), secretText('hook'), payloadMarker])
    expect(text).not.toContain(hidden);
});

test('notifications of an unsampled webhook are not recorded', async () => {
  const collector = await collectorForTest();
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
  const [consumer, hook] = [await consumerForTest(500), await consumerForTest()];
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  await gateway.admin.post(`/admin/accounts/${account.id}/destinations`, {
    ...{ destination_type: 'webhook', name: 'Ops', config: { url: hook.url, secret: secretText('hook') } },
  });
  // The first webhook is received with a sampler that records nothing; its notification is sent while all are recorded.
  const none = await tracingForTest({ ...variables, OTEL_TRACES_SAMPLER: 'parentbased_always_off' });
  const { body } = await gateway.send(account, '{"id":"unsampled"}');
  await none.stop();
  await tracingForTest(variables);
  await gateway.admin.eventually(body.id, (event) => event.notifications[0]?.status === 'sent');
  const last = await gateway.send(account, '{"id":"sampled"}');
  await gateway.admin.eventually(last.body.id, (event) => event.notifications[0]?.status === 'sent');
  const about = (id: string) => (span: ReceivedSpan) =>
    span.name === 'notification' && span.attributes['gateway.event_id'] === id;
  await collector.received('the notification of the sampled one', about(last.body.id));
  expect(collector.spans.filter(about(body.id))).toEqual([]);
});

test('a rejected webhook and a duplicate have spans, and a request to no account has none', async () => {
  const collector = await tracedForTest();
  const { consumer, account } = await accountForTest(gateway.admin);
  const first = await gateway.send(account, '{"id":"twice"}');
  const second = await gateway.send(account, '{"id":"twice"}');
  expect(second.body).toMatchObject({ id: first.body.id, duplicate: true });
  const secured = await gateway.admin.createAccount({
    ...{
      delivery_url: consumer.url,
      skip_signature_verification: false,
      signing_secret_current: secretText('signing'),
    },
  });
  await gateway.send(secured, '{}', { ...json, 'x-webhook-secret': secretText('wrong') });
  // They would use up TRACES_PER_SECOND.
  await gateway.send({ provider: 'generic', account_slug: secretInUrl('no-account') }, '{}');
  await gateway.send({ provider: 'no-provider', account_slug: 'shop' }, '{}');
  await gateway.send(account, '{"id":"last"}');
  const webhooks = await collector.received('four webhooks', ({ kind }) => kind === 2, 4);
  const result = (span: ReceivedSpan) => [
    span.attributes['gateway.result'],
    span.attributes['http.response.status_code'],
    span.status,
  ];
  expect(webhooks.map(result).toSorted()).toEqual([
    ['accepted', 202, 0],
    ['accepted', 202, 0],
    ['duplicate', 202, 0],
    ['verification_failed', 401, 0],
  ]);
  expect(
    webhooks.find((span) => span.attributes['gateway.result'] === 'duplicate')?.attributes['gateway.event_id'],
  ).toBe(first.body.id);
  const text = collector.requests.map((request) => request.text).join();
  for (const hidden of [secretText('signing'), secretText('wrong'), secretInUrl('no-account')])
    expect(text).not.toContain(hidden);
});
