import { send } from '../../support/admin-client.ts';
import { type Consumer, startConsumer } from '../../support/consumer.ts';
import type { TestGateway } from '../../support/gateway.ts';
import { useForAll } from '../../support/use.ts';

/** What a page must show as text: markup, marks that change the direction of text, and a name that ends in the middle. */
export const hostile = {
  id: 'evil-html',
  type: '<script>alert(1)</script>',
  text: '<img src=x onerror=alert(1)> \u202eevil\u202c \u2066x\u2069 \u0000',
};

export interface SampleData {
  /** Accounts by what becomes of their events. */
  accounts: Record<'delivered' | 'failed', { id: string; provider: string; account_slug: string }>;
  /** Ids of events by what they show. */
  events: Record<'delivered' | 'failed' | 'rejected' | 'hostile' | 'line' | 'binary', string>;
  consumer: Consumer;
}

/** Fills a gateway with accounts and events of each kind, and waits until their deliveries have ended. */
async function createSampleData(gateway: TestGateway): Promise<SampleData> {
  const { admin, baseUrl } = gateway;
  const consumer = await startConsumer((response, { url }) => {
    if (url === '/broken')
      response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Internal Server Error</h1>');
    else response.writeHead(200).end('{"ok":true}');
  });
  const origin = `http://127.0.0.1:${consumer.port}`;
  const ok = await admin.createAccount({
    provider: 'stripe',
    account_slug: 'shop-eu',
    app_key: 'shop',
    delivery_url: origin,
  });
  const failing = await admin.createAccount({
    ...{ account_slug: 'billing', app_key: 'billing', delivery_url: `${origin}/broken` },
    ...{ skip_signature_verification: false, signing_secret_current: 'a-secret-of-a-test' },
  });
  await admin.post(`/admin/accounts/${failing.id}/destinations`, {
    ...{ destination_type: 'webhook', name: 'On-call', condition: 'delivery_failed' },
    config: { url: `${origin}/notify` },
  });
  const types = ['order.created', 'order.paid', 'customer.updated'];
  const post = async (
    account: typeof ok,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) => {
    const answer = await send(baseUrl, account, body, { 'content-type': 'application/json', ...headers });
    return String(answer.body.id);
  };
  const delivered = [];
  for (let n = 0; n < 12; n++)
    delivered.push(
      await post(
        ok,
        JSON.stringify({ id: `evt_${n}`, type: types[n % types.length], data: { object: { amount: n * 100 } } }),
      ),
    );
  const right = { 'x-webhook-secret': 'a-secret-of-a-test' };
  const failed = await post(failing, '{"id":"inv-1","type":"invoice.finalized"}', right);
  const events = {
    delivered: delivered[0] ?? '',
    failed,
    rejected: '',
    hostile: await post(ok, JSON.stringify(hostile)),
    line: await post(ok, JSON.stringify({ id: 'one-line', type: 'huge', x: 'a'.repeat(1_000_000) })),
    binary: await post(ok, new Uint8Array(Array.from({ length: 2_000 }, (_, n) => n % 256)), {
      'content-type': 'application/octet-stream',
    }),
  };
  await send(baseUrl, failing, '{"id":"inv-2"}', { 'content-type': 'application/json', 'x-webhook-secret': 'wrong' });
  const rejected = await admin.request('GET', '/admin/events?status=rejected');
  events.rejected = rejected.body[0].id;
  for (const id of [...delivered, events.hostile, events.line, events.binary])
    await admin.eventually(id, (event) => event.delivery_status === 'delivered');
  await admin.eventually(failed, (event) => event.delivery_status === 'failed' && event.notifications.length > 0);
  return { accounts: { delivered: ok, failed: failing }, events, consumer };
}

/** The same for all tests of a file. */
export const useSampleData = (gateway: TestGateway): SampleData =>
  useForAll(
    () => createSampleData(gateway),
    ({ consumer }) => consumer.close(),
  );
