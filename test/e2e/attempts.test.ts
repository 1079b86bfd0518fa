import { describe, expect, test } from 'vitest';
import { type Consumer, type Reply, startConsumer } from '../support/consumer.ts';
import { quickDelaysMs, slowDelaysMs, startGateway, type TestGateway } from '../support/gateway.ts';
import { askToWait, hang, hold } from '../support/replies.ts';
import { secretInUrl } from '../support/secrets.ts';
import { storeDeliveryUrl } from '../support/store-address.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import { useGateway } from '../support/use-gateway.ts';

const mebibyte = 1024 * 1024;

async function withConsumer(run: (consumer: Consumer) => Promise<void>, ...replies: Reply[]): Promise<void> {
  const consumer = await forTest(startConsumer(...replies));
  await run(consumer);
}

/** Sends one event to an account of these fields and waits for its first attempt. */
async function firstAttempt(gateway: TestGateway, { stored_url, ...fields }: Record<string, unknown>) {
  const account = await gateway.admin.createAccount(fields);
  if (typeof stored_url === 'string') await storeDeliveryUrl(gateway, account.id, stored_url);
  const { body } = await gateway.send(account, '{"id":"one"}');
  const event = await gateway.admin.eventually(body.id, (e) => e.attempts > 0);
  return { event, account, attempt: event.delivery_history[0] };
}

describe('one attempt', () => {
  const gateway = useGateway({ delaysMs: slowDelaysMs });

  test('that is redirected fails, and the target gets no request', () =>
    withConsumer(async (target) => {
      const redirect: Reply = (response) => response.writeHead(302, { location: target.url }).end();
      await withConsumer(async (consumer) => {
        const { attempt } = await firstAttempt(gateway, { delivery_url: consumer.url });
        expect(attempt).toMatchObject({ outcome: 'http_error', response_code: 302 });
        expect(consumer.deliveries).toHaveLength(1);
      }, redirect);
      // A request to the target would have arrived before this one.
      const { event } = await firstAttempt(gateway, { delivery_url: target.url });
      expect(target.deliveries.map((d) => d.headers['webhook-id'])).toEqual([event.id]);
    }));

  test('that is answered with 100 MB keeps 16 KiB and does not read the rest', async () => {
    const sent = { bytes: 0, closed: false };
    const flood: Reply = (response) => {
      response.on('close', () => {
        sent.closed = true;
      });
      response.writeHead(200, { 'content-length': 100 * mebibyte });
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        while (sent.bytes < 100 * mebibyte && !response.destroyed) {
          sent.bytes += chunk.length;
          if (!response.write(chunk)) return;
        }
      };
      response.on('drain', more);
      more();
    };
    await withConsumer(async (consumer) => {
      const { event, attempt } = await firstAttempt(gateway, { delivery_url: consumer.url });
      expect(attempt).toMatchObject({ outcome: 'delivered', response_code: 200 });
      expect(attempt.response_body).toBe('x'.repeat(16 * 1024));
      expect(event.delivery_status).toBe('delivered');
      await until('the connection is ended', () => sent.closed);
      // The socket buffers take some bytes before the gateway can stop the transfer.
      expect(sent.bytes).toBeLessThan(50 * mebibyte);
    }, flood);
  });

  test('to a closed port fails as connection_refused', async () => {
    const gone = await startConsumer();
    await gone.close();
    const { attempt } = await firstAttempt(gateway, { delivery_url: gone.url });
    expect(attempt).toMatchObject({ outcome: 'connection_refused', response_code: null, response_body: null });
    expect(attempt.error).toContain(String(gone.port));
  });

  test('to a name that does not exist fails as dns_failure', async () => {
    const { attempt } = await firstAttempt(gateway, { delivery_url: 'http://name.invalid/hook' });
    expect(attempt).toMatchObject({ outcome: 'dns_failure', response_code: null });
    expect(attempt.error).toContain('name.invalid');
  });

  test('without any delivery URL fails as no_delivery_url', async () => {
    const { event, attempt } = await firstAttempt(gateway, {});
    expect(attempt).toMatchObject({ outcome: 'no_delivery_url', response_code: null, url: null });
    expect(event).toMatchObject({ delivery_status: 'pending', attempts: 1 });
  });

  test('shows its URL without user, password and query', () =>
    withConsumer(async (consumer) => {
      const url = consumer.url
        .replace('http://', `http://user:${secretInUrl('pa55word')}@`)
        .concat(`?token=${secretInUrl('t0psecret')}`);
      const { event, attempt } = await firstAttempt(gateway, { delivery_url: url });
      expect(attempt.outcome).toBe('delivered');
      expect(consumer.deliveries[0]?.url).toBe(`/hook?token=${secretInUrl('t0psecret')}`);
      expect(JSON.stringify(event)).not.toMatch(/pa55word|t0psecret/);
    }));
});

test('an attempt without an answer within the time limit fails as timeout', async () => {
  const gateway = await forTest(startGateway({ delaysMs: slowDelaysMs, timeLimitMs: 1_000 }));
  await withConsumer(async (consumer) => {
    const { event, attempt } = await firstAttempt(gateway, { delivery_url: consumer.url });
    expect(attempt).toMatchObject({ outcome: 'timeout', response_code: null, number: 1, url: consumer.url });
    expect(event).toMatchObject({ delivery_status: 'pending', attempts: 1, last_error: attempt.error });
  }, hang);
});

test('an attempt to a private address is refused when it connects, and nothing is sent', async () => {
  const gateway = await forTest(startGateway({ delaysMs: slowDelaysMs, allowedNetworks: [] }));
  await withConsumer(async (consumer) => {
    const byAddress = await firstAttempt(gateway, { stored_url: consumer.url });
    expect(byAddress.attempt).toMatchObject({ outcome: 'address_refused', response_code: null });
    expect(byAddress.attempt.error).toMatch(/127\.0\.0\.1.*loopback.*DELIVERY_ALLOWED_NETWORKS/);
    const byName = await firstAttempt(gateway, { delivery_url: `http://localhost:${consumer.port}/` });
    expect(byName.attempt.outcome).toBe('address_refused');
    const elsewhere = await firstAttempt(gateway, { stored_url: 'http://10.0.0.1/' });
    expect(elsewhere.attempt).toMatchObject({ outcome: 'address_refused' });
    expect(elsewhere.attempt.error).toMatch(/10\.0\.0\.1.*private/);
    expect(consumer.deliveries).toHaveLength(0);
  });
});

describe('the next attempt', () => {
  const gateway = useGateway({ delaysMs: quickDelaysMs });

  test.each([429, 503])('waits for as long as Retry-After asks with %i', (status) =>
    withConsumer(
      async (consumer) => {
        const { event, attempt } = await firstAttempt(gateway, { delivery_url: consumer.url });
        expect(attempt.response_code).toBe(status);
        const waitMs = Date.parse(event.next_attempt_at) - Date.parse(attempt.started_at) - attempt.duration_ms;
        expect(waitMs).toBeGreaterThanOrEqual(119_000);
        expect(waitMs).toBeLessThan(150_000);
      },
      askToWait(status, 120),
    ),
  );

  test('does not wait for Retry-After with another status', () =>
    withConsumer(
      async (consumer) => {
        const { event } = await firstAttempt(gateway, { delivery_url: consumer.url });
        const delivered = await gateway.admin.eventually(event.id, (e) => e.delivery_status === 'delivered');
        expect(delivered.attempts).toBe(2);
      },
      askToWait(500, 120),
      200,
    ));

  test('goes to a delivery URL that was corrected since', () => {
    const held = hold();
    return withConsumer(async (wrong) => {
      await withConsumer(async (right) => {
        const account = await gateway.admin.createAccount({ delivery_url: wrong.url });
        const { body: event } = await gateway.send(account, '{"id":"one"}');
        // The second attempt follows at once, so the first one must not end before the URL is corrected.
        await held.arrived;
        const patched = await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, {
          delivery_url: right.url,
        });
        expect(patched.status).toBe(200);
        held.answer(500);
        const healed = await gateway.admin.eventually(event.id, (e) => e.delivery_status === 'delivered');
        expect(healed.delivery_history).toMatchObject([
          { trigger: 'schedule', url: wrong.url },
          { trigger: 'schedule', url: right.url },
        ]);
        expect(healed).toMatchObject({ last_error: null, response_code: 200, next_attempt_at: null });
        expect(right.deliveries.map((d) => d.headers['webhook-id'])).toEqual([event.id]);
      });
    }, held.reply);
  });
});
