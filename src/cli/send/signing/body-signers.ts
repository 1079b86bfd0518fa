import { createHash } from 'node:crypto';
import { hmac } from '../../../providers/signature.ts';
import { isRecord } from '../../../shared/is-record.ts';
import { usageError } from '../../exit.ts';
import { type Message, type Signer, seconds } from './message.ts';

type Json = Record<string, unknown>;

const written = (value: unknown) => Buffer.from(JSON.stringify(value));

function objectOf({ body }: Message): Json | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    return isRecord(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/**
 * Mailgun: time, token and their HMAC in the object `signature` of the body. The token is made of the body, because a
 * webhook that is sent twice has the same one.
 */
export const signMailgun: Signer = (message, { secret }) => {
  const { signature: _, ...event } =
    objectOf(message) ?? fail('the body of a webhook of mailgun is not a JSON object, and the signature is in it');
  const token = createHash('sha256').update(written(event)).digest('hex').slice(0, 50);
  const timestamp = seconds(message);
  const signature = hmac('sha256', secret, [timestamp, token]).toString('hex');
  return { headers: [], body: written({ signature: { timestamp, token, signature }, ...event }) };
};

/** Adyen: each notification has a signature of eight of its fields. A body of a platform is signed as a whole. */
export const signAdyen: Signer = (message, { secret }) => {
  const key = Buffer.from(secret, 'hex');
  const notification = objectOf(message);
  const items = notification?.notificationItems;
  if (notification === null || !Array.isArray(items)) {
    const signature = hmac('sha256', key, [message.body]).toString('base64');
    return {
      headers: [
        ['HmacSignature', signature],
        ['Protocol', 'HmacSHA256'],
      ],
    };
  }
  const signed = items.map((entry: unknown) => {
    const item = isRecord(entry) ? entry.NotificationRequestItem : null;
    if (!isRecord(item)) return entry;
    const { hmacSignature: _, ...others } = isRecord(item.additionalData) ? item.additionalData : {};
    const hmacSignature = hmac('sha256', key, [itemText(item)]).toString('base64');
    return { NotificationRequestItem: { ...item, additionalData: { ...others, hmacSignature } } };
  });
  return { headers: [], body: written({ ...notification, notificationItems: signed }) };
};

/** https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures */
function itemText(item: Json): string {
  const amount = isRecord(item.amount) ? item.amount : {};
  return [
    ...[item.pspReference, item.originalReference, item.merchantAccountCode, item.merchantReference],
    ...[amount.value, amount.currency, item.eventCode, item.success],
  ]
    .map((value) => String(value ?? ''))
    .join(':');
}

function fail(message: string): never {
  throw usageError(message, 'Write the body as a JSON object.');
}
