import { describe, expect, test } from 'vitest';
import { mailgun } from '../support/providers/mailgun.ts';
import { meta } from '../support/providers/meta.ts';
import type { Sample } from '../support/providers/sample.ts';
import { slack } from '../support/providers/slack.ts';
import { twilio } from '../support/providers/twilio.ts';
import { messageFor } from '../support/providers/webhook.ts';
import { eventsOf } from '../support/stored.ts';
import { useGateway } from '../support/use-gateway.ts';

const form = 'application/x-www-form-urlencoded';

const gateway = useGateway({ worker: false });

async function accountOf(sample: Sample) {
  const key = sample.newKey();
  const account = await gateway.admin.createAccount({
    provider: sample.provider,
    provider_config: sample.config,
    signing_secret_current: key.secret,
    skip_signature_verification: false,
  });
  const url = `${gateway.baseUrl}/${sample.provider}/${account.account_slug}`;
  const send = (message: { headers: [string, string][]; query?: string; body: Uint8Array }) =>
    fetch(url + (message.query ?? ''), { method: 'POST', headers: message.headers, body: Buffer.from(message.body) });
  return {
    /** Posts a text with the provider's signature. `change` is appended after signing. */
    async post(text: string, { change = '', contentType = 'application/json' } = {}) {
      const signed = await key.sign({ body: Buffer.from(text), contentType, at: new Date(), url });
      const headers: [string, string][] = [...signed.headers, ['content-type', contentType]];
      return send({ headers, body: Buffer.concat([signed.body, Buffer.from(change)]) });
    },
    postEvent: async (id: string) => send(await messageFor(sample, key, { id, url })),
    /** Posts a form without a signature. */
    postUnsigned: (text: string) => send({ headers: [['content-type', form]], body: Buffer.from(text) }),
    disable: () => gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, { enabled: false }),
    events: () => eventsOf(gateway.database, account.id),
  };
}

describe.each([
  ['meta', meta],
  ['mailgun', mailgun],
])('%s, which treats only 200 as success', (_, sample) => {
  test('gets 200 when its webhook is stored, and for a duplicate too', async () => {
    const { postEvent, events } = await accountOf(sample);
    for (const duplicate of [false, true]) {
      const response = await postEvent('id-1');
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ external_id: sample.event('id-1').externalId, duplicate });
    }
    expect(await events()).toMatchObject([{ event_type: sample.event('id-1').type, status: 'received' }]);
  });
});

test('Twilio gets an answer without instructions', async () => {
  const { postEvent, events } = await accountOf(twilio);
  const response = await postEvent('SM1');
  expect([response.status, response.headers.get('content-type')]).toEqual([202, 'text/xml']);
  expect(await response.text()).toBe('<Response></Response>');
  expect(await events()).toMatchObject([{ status: 'received' }]);
});

test('a webhook that fails verification gets 401', async () => {
  const { post, events } = await accountOf(meta);
  const response = await post(meta.event('id-1').body, { change: ' ' });
  expect(response.status).toBe(401);
  expect(await events()).toMatchObject([{ status: 'rejected', rejection_reason: 'bad_signature' }]);
});

describe('slack', () => {
  const challenge = '{"type":"url_verification","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"}';

  test('events get 202', async () => {
    const { postEvent } = await accountOf(slack);
    const response = await postEvent('Ev1');
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ external_id: 'Ev1', duplicate: false });
  });

  test('the challenge is answered, and stores no event', async () => {
    const { post, events } = await accountOf(slack);
    const response = await post(challenge);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await response.text()).toBe('3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P');
    expect(await events()).toEqual([]);
  });

  test('the challenge is not echoed to a caller without the secret', async () => {
    const { post } = await accountOf(slack);
    const response = await post(challenge, { change: ' ' });
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain('3eZbrw');
  });

  test('the unsigned certificate check gets an empty answer, and stores no event', async () => {
    const { postUnsigned, events } = await accountOf(slack);
    const response = await postUnsigned('ssl_check=1&token=x');
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(await events()).toEqual([]);
    const command = await postUnsigned('ssl_check=1&token=x&command=%2Fweather');
    expect(command.status).toBe(401);
    expect(await events()).toMatchObject([{ status: 'rejected', rejection_reason: 'missing_signature' }]);
  });

  test('the certificate check is answered only for an existing, enabled account', async () => {
    const { postUnsigned, disable } = await accountOf(slack);
    await disable();
    expect((await postUnsigned('ssl_check=1&token=x')).status).toBe(403);
    const unknown = await fetch(`${gateway.baseUrl}/slack/nobody`, {
      method: 'POST',
      headers: { 'content-type': form },
      body: 'ssl_check=1&token=x',
    });
    expect(unknown.status).toBe(404);
  });

  test('a slash command is stored as an event with its original form, and its answer is empty', async () => {
    const { post, events } = await accountOf(slack);
    const body = 'token=x&command=%2Fweather&text=94070+caf%C3%A9&trigger_id=13345224609.738474920.8088930838d88f008e0';
    const response = await post(body, { contentType: form });
    expect([response.status, await response.text()]).toEqual([200, '']);
    const [event] = await events();
    expect(event).toMatchObject({
      event_type: 'slash_command',
      external_id: '13345224609.738474920.8088930838d88f008e0',
    });
    expect(event?.body?.toString()).toBe(body);
  });
});
