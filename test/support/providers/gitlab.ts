import { Webhook } from 'standardwebhooks';
import type { Header } from '../../../src/providers/inbound-request.ts';
import { newSecret, newWhsec, payloadMarker } from '../secrets.ts';
import { type Sample, signedInHeader } from './sample.ts';
import { inVersionedHeader, messageHeaders, messageIdOf } from './standard.ts';

/** The headers that GitLab sends with every webhook. */
function deliveryHeaders(id: string): Header[] {
  return [
    ['Idempotency-Key', id],
    ['X-Gitlab-Event', 'Merge Request Hook'],
    ['X-Gitlab-Webhook-UUID', '02affd2d-2cba-4033-917d-ec22d5dc4b38'],
    ['X-Gitlab-Event-UUID', '13792a34-cac6-4fda-95a8-c58e00a3954e'],
    ['X-Gitlab-Instance', 'https://gitlab.example'],
  ];
}

const event: Sample['event'] = (id) => {
  const body = JSON.stringify({
    object_kind: 'merge_request',
    event_type: 'merge_request',
    // Not a field of GitLab: it carries the id for the signed message.
    custom: { id },
    project: { id: 15, name: 'shop', path_with_namespace: 'acme/shop' },
    object_attributes: { id: 99, iid: 1, title: `${payloadMarker}${'x'.repeat(685)}`, state: 'opened', action: 'open' },
  });
  return { body, type: 'merge_request.open', externalId: id };
};

/** A signing token. GitLab's documentation uses this library for verification. */
export const gitlab: Sample = {
  provider: 'gitlab',
  newKey() {
    const secret = newWhsec();
    const library = new Webhook(secret);
    return {
      secret,
      sign(message) {
        const body = Buffer.from(message.body).toString('utf8');
        const signed = messageHeaders('webhook', message, (id) => library.sign(id, message.at, body));
        return { headers: [...deliveryHeaders(signed[0]?.[1] ?? ''), ...signed], body: message.body };
      },
    };
  },
  event,
  signature: { header: 'webhook-signature' },
  coversBody: true,
  coversTime: true,
  anyBody: true,
  withSignature: inVersionedHeader('webhook-signature', 'v1'),
};

/** A secret token, which is sent instead of a signature. */
export const gitlabToken: Sample = {
  provider: 'gitlab',
  newKey() {
    const secret = newSecret();
    return {
      secret,
      sign: ({ body }) => ({ headers: [...deliveryHeaders(messageIdOf(body)), ['X-Gitlab-Token', secret]], body }),
    };
  },
  event,
  ...signedInHeader('x-gitlab-token'),
  coversBody: false,
  coversTime: false,
  anyBody: true,
};
