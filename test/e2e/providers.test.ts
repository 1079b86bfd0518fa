import { describe, expect, test } from 'vitest';
import type { Key, Sample } from '../support/providers/sample.ts';
import { samples } from '../support/providers/samples.ts';
import { messageFor } from '../support/providers/webhook.ts';
import { rawRequest } from '../support/raw-http.ts';
import { eventsOf } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { useConsumer, useGateway } from '../support/use-gateway.ts';

const consumer = useConsumer();
const gateway = useGateway();

describe.each(samples.map((sample) => [sample.provider, sample] as const))('%s', (_name, sample: Sample) => {
  /** Creates an account, and sends webhooks to it as the provider does: signed now, for the requested URL. */
  async function stage() {
    const [current, previous] = [sample.newKey(), sample.newKey()];
    const account = await gateway.admin.createAccount({
      provider: sample.provider,
      provider_config: sample.config,
      signing_secret_current: current.secret,
      signing_secret_previous: previous.secret,
      skip_signature_verification: false,
      delivery_url: consumer.url,
    });
    const path = `/${sample.provider}/${account.account_slug}`;
    const post = async (id: string, key: Key) => {
      const { headers, query, body } = await messageFor(sample, key, { id, url: gateway.baseUrl + path });
      const answer = await rawRequest(gateway.baseUrl, {
        path: path + query,
        // With an array of headers Node adds no others by itself.
        headers: [...['Host', new URL(gateway.baseUrl).host, 'Content-Length', String(body.length)], ...headers.flat()],
        body,
      });
      return { ...answer, sent: Buffer.from(body) };
    };
    return { account, current, previous, post };
  }

  test('a signed webhook is accepted once and delivered with its original bytes', async () => {
    const { account, current, previous, post } = await stage();
    const expected = sample.event('evt_0001');
    // Answers differ by provider, but the status always means success.
    const first = await post('evt_0001', current);
    expect(first.status).toBeOneOf([200, 202]);
    const [{ id } = { id: '' }] = await eventsOf(gateway.database, account.id);
    const event = await gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
    const { provider } = sample;
    expect(event).toMatchObject({ provider, external_id: expected.externalId, event_type: expected.type });
    const delivery = consumer.deliveries.find(({ headers }) => headers['webhook-id'] === id);
    expect(delivery?.body.equals(first.sent)).toBe(true);
    // A webhook that was signed with the previous secret is accepted too.
    expect((await post('evt_0002', previous)).status).toBeOneOf([200, 202]);
    expect(await eventsOf(gateway.database, account.id)).toHaveLength(2);
  });

  test('an unsigned webhook is refused, without the reason in the answer', async () => {
    const { account, post } = await stage();
    const refused = await post('evt_0003', sample.newKey());
    expect(refused).toMatchObject({ status: 401, body: { code: 'verification_failed' } });
    expect(refused.text).not.toMatch(/signature|stale|secret/);
    expect(await eventsOf(gateway.database, account.id)).toMatchObject([
      { status: 'rejected', rejection_reason: 'bad_signature', attempts: 0 },
    ]);
  });

  test('a rotation accepts webhooks with the old and the new secret, then only with the new one', async () => {
    const { account, current, previous, post } = await stage();
    const change = (body: object) => gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, body);
    const fresh = sample.newKey();
    // The account is in the middle of a rotation, so another one needs the word for it.
    expect((await change({ signing_secret_current: fresh.secret, rotate: true })).status).toBe(409);
    expect((await post('evt_0005', previous)).status).toBeOneOf([200, 202]);
    const replaced = { signing_secret_current: fresh.secret, rotate: true, replace_previous: true };
    expect((await change(replaced)).status).toBe(200);
    expect((await post('evt_0006', current)).status).toBeOneOf([200, 202]);
    expect((await post('evt_0007', fresh)).status).toBeOneOf([200, 202]);
    expect((await change({ signing_secret_previous: null })).status).toBe(200);
    expect((await post('evt_0008', fresh)).status).toBeOneOf([200, 202]);
    await until('the old secret is refused', async () => (await post('evt_0009', current)).status === 401);
  });

  test('neither secret is stored or shown', async () => {
    const { account, current, post } = await stage();
    await post('evt_0004', current);
    const [event] = await eventsOf(gateway.database, account.id);
    const shown = JSON.stringify([
      await gateway.admin.event(event?.id ?? ''),
      (await gateway.admin.request('GET', `/admin/accounts/${account.id}`)).body,
    ]);
    expect(shown).not.toContain(current.secret);
  });
});
