import { createHash, createHmac, randomUUID } from 'node:crypto';
import { newSecret, payloadMarker } from '../secrets.ts';
import { type Sample, signedInHeader } from './sample.ts';

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A JWT by RFC 7515. Vonage's library verifies JWTs with HS256 but creates none. */
export function token(secret: string, claims: object, header: object = { alg: 'HS256', typ: 'JWT' }): string {
  const signed = `${encoded(header)}.${encoded(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** The claims that Vonage documents: https://developer.vonage.com/en/getting-started/concepts/webhooks */
export function claimsFor(body: Uint8Array, at: Date) {
  return {
    iat: Math.floor(at.getTime() / 1000),
    jti: randomUUID(),
    iss: 'Vonage',
    payload_hash: createHash('sha256').update(body).digest('hex'),
    api_key: 'a1b2c3d',
    application_id: 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab',
  };
}

export const vonage: Sample = {
  provider: 'vonage',
  newKey() {
    const secret = newSecret();
    return {
      secret,
      sign: ({ body, at }) => ({
        headers: [['Authorization', `Bearer ${token(secret, claimsFor(body, at))}`]],
        body,
      }),
    };
  },
  event(id) {
    const body = JSON.stringify({
      channel: 'sms',
      message_uuid: id,
      to: '447700900000',
      from: '447700900001',
      timestamp: '2026-03-01T12:00:00.000Z',
      message_type: 'text',
      text: `Zoë paid 5 €: ${payloadMarker}${'x'.repeat(725)}`,
      sms: { num_messages: '1', keyword: 'HELLO' },
    });
    return { body, type: 'message.received', externalId: id };
  },
  ...signedInHeader('authorization', 'Bearer '),
  coversBody: true,
  coversTime: true,
  anyBody: true,
};
