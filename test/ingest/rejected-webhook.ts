import { expect } from 'vitest';
import type { Consumer } from '../support/consumer.ts';
import type { TestGateway } from '../support/gateway.ts';
import type { Key, Sample } from '../support/providers/sample.ts';
import { messageFor } from '../support/providers/webhook.ts';
import { rawRequest } from '../support/raw-http.ts';
import { eventsOf } from '../support/stored.ts';

interface Options {
  key?: Key;
  at?: Date;
  account?: object;
  headers?: string[];
}

/** Creates an account with the wrong secret, and sends a webhook to it as the provider does. */
export const rejectedBy =
  (gateway: TestGateway, consumer: Consumer) =>
  async (sample: Sample, options: Options = {}) => {
    const key = options.key ?? sample.newKey();
    const account = await gateway.admin.createAccount({
      provider: sample.provider,
      provider_config: sample.config,
      signing_secret_current: sample.newKey().secret,
      skip_signature_verification: false,
      delivery_url: consumer.url,
      ...options.account,
    });
    const path = `/${sample.provider}/${account.account_slug}`;
    const post = async (id = 'evt_1') => {
      const url = gateway.baseUrl + path;
      const { headers, query, body } = await messageFor(sample, key, {
        id,
        url,
        ...(options.at && { at: options.at }),
      });
      const sent = ['Host', new URL(url).host, 'Content-Length', String(body.length), ...headers.flat()];
      const answer = await rawRequest(gateway.baseUrl, {
        ...{ path: path + query, headers: [...sent, ...(options.headers ?? [])], body },
      });
      return { ...answer, sent: Buffer.from(body) };
    };
    const first = await post();
    expect(first.status).toBe(401);
    const [event] = await eventsOf(gateway.database, account.id);
    const correct = (changes: object = { signing_secret_current: key.secret }) =>
      gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, changes);
    return { account, key, post, correct, sent: first.sent, id: event?.id ?? '' };
  };
