import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { meta } from '../support/providers/meta.ts';
import type { Sample } from '../support/providers/sample.ts';
import { slack } from '../support/providers/slack.ts';
import { eventsOf } from '../support/stored.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ worker: false });
});
afterAll(() => gateway.stop());

async function accountOf(sample: Sample) {
  const key = sample.newKey();
  const account = await gateway.admin.createAccount({
    provider: sample.provider,
    signing_secret_current: key.secret,
    skip_signature_verification: false,
  });
  const url = `${gateway.baseUrl}/${sample.provider}/${account.account_slug}`;
  const post = async (text: string, change = '', contentType = 'application/json') => {
    const signed = await key.sign({ body: Buffer.from(text), at: new Date(), url });
    const headers = { ...Object.fromEntries(signed.headers), 'content-type': contentType };
    return fetch(url, { method: 'POST', headers, body: text + change });
  };
  return { post, events: () => eventsOf(gateway.database, account.id) };
}

describe.each([
  ['slack', slack],
  ['meta', meta],
])('%s', (_, sample) => {
  test('is told 200 and nothing else when its webhook is stored, the second time too', async () => {
    const { post, events } = await accountOf(sample);
    const { body, type } = sample.event('id-1');
    for (let time = 0; time < 2; time++) {
      const response = await post(body);
      expect([response.status, await response.text()]).toEqual([200, '']);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    }
    expect(await events()).toMatchObject([{ external_id: 'id-1', event_type: type, status: 'received' }]);
  });

  test('is told of a refusal as everyone is', async () => {
    const { post, events } = await accountOf(sample);
    const response = await post(sample.event('id-1').body, ' ');
    expect(response.status).toBe(401);
    expect(await events()).toMatchObject([{ status: 'rejected', rejection_reason: 'bad_signature' }]);
  });
});

describe('the challenge of slack', () => {
  const challenge = '{"type":"url_verification","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"}';

  test('is answered, and is no event', async () => {
    const { post, events } = await accountOf(slack);
    const response = await post(challenge);
    expect([response.status, await response.text()]).toEqual([
      200,
      '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
    ]);
    expect(await events()).toEqual([]);
  });

  test('is not given back to whoever does not know the secret', async () => {
    const { post } = await accountOf(slack);
    const response = await post(challenge, ' ');
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain('3eZbrw');
  });
});

test('a slash command is an event, its form as it came', async () => {
  const { post, events } = await accountOf(slack);
  const body = 'token=x&command=%2Fweather&text=94070+caf%C3%A9&trigger_id=13345224609.738474920.8088930838d88f008e0';
  const response = await post(body, '', 'application/x-www-form-urlencoded');
  expect([response.status, await response.text()]).toEqual([200, '']);
  const [event] = await events();
  expect(event).toMatchObject({
    event_type: 'slash_command',
    external_id: '13345224609.738474920.8088930838d88f008e0',
  });
  expect(event?.body?.toString()).toBe(body);
});
