import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Account, Webhook } from './gateway.ts';

export interface Secrets {
  generic: string;
  supportChat: string;
}

export const makeSecrets = (): Secrets => ({
  generic: randomBytes(18).toString('base64url'),
  supportChat: randomBytes(18).toString('base64url'),
});

export interface Sample {
  provider: 'generic' | 'support_chat';
  /** The path of the body below test/fixtures/. */
  file: string;
  /** A readable description of how the webhook proves that its sender knows the account's secret. */
  proof: string;
  /** The statuses with which the consumer answers the first attempts. */
  failures: number[];
  webhook(account: Account, secrets: Secrets): Omit<Webhook, 'body'>;
}

const json = { 'content-type': 'application/json' };

/** A chat provider's proxy adds the requested address, whose key must not be stored. */
const chat = ({ account_slug }: Account, { supportChat }: Secrets): Omit<Webhook, 'body'> => ({
  query: `?key=${supportChat}`,
  headers: { ...json, 'x-original-url': `https://hooks.example.com/support_chat/${account_slug}?key=${supportChat}` },
});

/** The webhooks of the demo. The one that fails at first is the last one, because it takes longest. */
export const samples: Sample[] = [
  {
    provider: 'generic',
    file: 'generic/build-finished.json',
    proof: 'Authorization: Bearer …',
    failures: [],
    webhook: (_, { generic }) => ({ query: '', headers: { ...json, authorization: `Bearer ${generic}` } }),
  },
  {
    provider: 'generic',
    file: 'generic/form.txt',
    proof: '?key=…',
    failures: [],
    webhook: (_, { generic }) => ({
      query: `?key=${generic}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  },
  {
    provider: 'support_chat',
    file: 'support_chat/message-send.json',
    proof: '?key=…',
    failures: [],
    webhook: chat,
  },
  {
    provider: 'support_chat',
    file: 'support_chat/session-set-email.json',
    proof: '?key=…',
    failures: [],
    webhook: chat,
  },
  {
    provider: 'generic',
    file: 'generic/order-created.json',
    proof: 'X-Webhook-Secret: …',
    failures: [500, 503],
    webhook: (_, { generic }) => ({ query: '', headers: { ...json, 'x-webhook-secret': generic } }),
  },
];

/** The bytes of a sample. */
export async function bytesOf({ file }: Sample): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await readFile(new URL(`../fixtures/${file}`, import.meta.url)));
}
