import { createHmac } from 'node:crypto';
import { sign } from '@octokit/webhooks-methods';
import { newSecret, payloadMarker } from '../secrets.ts';
import { type Sample, sharedSecret, signedInHeader } from './sample.ts';

export const github: Sample = {
  provider: 'github',
  newKey: sharedSecret(newSecret, async ({ body }, secret) => {
    const text = Buffer.from(body).toString('utf8');
    // The library refuses to sign an empty body.
    const signature = text ? await sign(secret, text) : `sha256=${createHmac('sha256', secret).digest('hex')}`;
    return { headers: [['X-Hub-Signature-256', signature]], body };
  }),
  event(id) {
    const body = JSON.stringify({
      action: 'opened',
      number: 7,
      pull_request: { id: 279147437, state: 'open', title: 'Say hello', body: `${payloadMarker}${'x'.repeat(785)}` },
      repository: { id: 186853002, full_name: 'acme/hello' },
      sender: { login: 'zoe', type: 'User' },
    });
    return {
      body,
      headers: [
        ['X-GitHub-Event', 'pull_request'],
        ['X-GitHub-Delivery', id],
        ['X-GitHub-Hook-ID', '292430182'],
      ],
      type: 'pull_request.opened',
      externalId: id,
    };
  },
  ...signedInHeader('x-hub-signature-256', 'sha256='),
  coversBody: true,
  coversTime: false,
  anyBody: true,
};
