import { createHash, createHmac } from 'node:crypto';
import { newSecret, payloadMarker } from '../secrets.ts';
import { type Sample, type Signed, sharedSecret } from './sample.ts';

export interface MailgunSignature {
  timestamp: string;
  token: string;
  signature: string;
}

/** As Mailgun describes it: https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks */
export function signatureWith(key: string, at: Date, token: string): MailgunSignature {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return { timestamp, token, signature: createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex') };
}

function withBody(signed: Signed, body: object): Signed {
  return { ...signed, body: Buffer.from(JSON.stringify(body)) };
}

export const mailgun: Sample = {
  provider: 'mailgun',
  newKey: sharedSecret(newSecret, ({ body, at }, secret) => {
    // The token is derived from the body, because a repeated webhook has the same token.
    const token = createHash('sha256').update(body).digest('hex').slice(0, 50);
    const event = JSON.parse(Buffer.from(body).toString('utf8'));
    return withBody({ headers: [], body }, { signature: signatureWith(secret, at, token), ...event });
  }),
  event(id) {
    const data = {
      event: 'delivered',
      id,
      timestamp: 1772366390.187,
      'log-level': 'info',
      recipient: 'zoe@example.com',
      message: {
        headers: {
          'message-id': '20260301120000.1@mg.example.com',
          subject: `Zoë: ${payloadMarker}${'x'.repeat(585)}`,
        },
      },
      'delivery-status': { code: 250, message: 'OK', 'attempt-no': 1 },
    };
    return { body: JSON.stringify({ 'event-data': data }), type: 'delivered', externalId: id };
  },
  signature: 'body',
  coversBody: false,
  coversTime: true,
  anyBody: false,
  withSignature(signed, change) {
    const { signature, ...event } = JSON.parse(Buffer.from(signed.body).toString('utf8'));
    const changed = change(signature.signature);
    const { signature: _, ...rest } = signature;
    return withBody(signed, { signature: changed === null ? rest : { ...rest, signature: changed }, ...event });
  },
};
