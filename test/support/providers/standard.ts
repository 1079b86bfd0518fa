import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import type { Header } from '../../../src/providers/inbound-request.ts';
import { newWhsec, payloadMarker } from '../secrets.ts';
import type { Key, Message, Sample } from './sample.ts';

/** The id of the message, which is the id in the body as in webhooks of Resend and others. */
export function messageIdOf(body: Uint8Array): string {
  const [, id] = /"id":"(msg_[^"]*|evt_[^"]*)"/.exec(Buffer.from(body).toString('latin1')) ?? [];
  return id ?? `msg_${randomBytes(8).toString('hex')}`;
}

/** The three headers of one message. `sign` returns the signature with its version. */
export function messageHeaders(prefix: string, { body, at }: Message, sign: (id: string) => string): Header[] {
  const id = messageIdOf(body);
  return [
    [`${prefix}-id`, id],
    [`${prefix}-timestamp`, String(Math.floor(at.getTime() / 1000))],
    [`${prefix}-signature`, sign(id)],
  ];
}

/** Replaces the signature in the header with another one of the same version. */
export function inVersionedHeader(header: string, version: string): Sample['withSignature'] {
  return (signed, change) => ({
    ...signed,
    headers: signed.headers.flatMap(([name, value]): Header[] => {
      if (name !== header) return [[name, value]];
      const changed = change(value.slice(version.length + 1));
      return changed === null ? [] : [[name, `${version},${changed}`]];
    }),
  });
}

function standardSample(prefix: string, version: string, newKey: () => Key): Sample {
  return {
    provider: 'standard',
    newKey,
    event(id) {
      const data = { id: 'contact_1', note: `${payloadMarker}${'x'.repeat(885)}` };
      const body = JSON.stringify({ id, type: 'contact.created', timestamp: '2026-03-01T12:00:00Z', data });
      return { body, type: 'contact.created', externalId: id };
    },
    signature: { header: `${prefix}-signature` },
    coversBody: true,
    coversTime: true,
    anyBody: true,
    withSignature: inVersionedHeader(`${prefix}-signature`, version),
  };
}

/** Creates shared keys that sign with the given library. */
function sharedKey(prefix: string, Library: new (secret: string) => Pick<StandardWebhook, 'sign'>): () => Key {
  return () => {
    const secret = newWhsec();
    const library = new Library(secret);
    return {
      secret,
      sign: (message) => ({
        headers: messageHeaders(prefix, message, (id) =>
          library.sign(id, message.at, Buffer.from(message.body).toString('utf8')),
        ),
        body: message.body,
      }),
    };
  };
}

export const standard = standardSample('webhook', 'v1', sharedKey('webhook', StandardWebhook));

export const svix = standardSample('svix', 'v1', sharedKey('svix', SvixWebhook));

/** No library signs with Ed25519, so this follows the specification. */
export const standardAsymmetric = standardSample('webhook', 'v1a', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    secret: `whpk_${Buffer.from(x, 'base64url').toString('base64')}`,
    sign: (message) => ({
      headers: messageHeaders('webhook', message, (id) => {
        const seconds = Math.floor(message.at.getTime() / 1000);
        const signed = Buffer.concat([Buffer.from(`${id}.${seconds}.`), message.body]);
        return `v1a,${sign(null, signed, privateKey).toString('base64')}`;
      }),
      body: message.body,
    }),
  };
});
