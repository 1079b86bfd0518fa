import { storableText } from '../shared/text.ts';
import { dedupByIdAndBytes, ownOrGeneratedId } from './external-id.ts';
import {
  asFields,
  type Fields,
  identifierAt,
  isObject,
  listField,
  objectField,
  ownField,
  stringField,
  topLevelFields,
  topLevelText,
} from './fields.ts';
import type { InboundRequest } from './inbound-request.ts';
import type { Provider, Verification } from './provider.ts';
import { noConfig } from './provider-config.ts';
import { hasRepeatedNames } from './repeated-names.ts';
import { hmac, matchSignature, signatureBytes } from './signature.ts';

/** Of so many items the ids and types are read; Adyen sends one. */
const maxNamed = 10;

/** A form holds one item, of 1 KB or so. Decoding a MiB of percent signs takes 27 ms (measured), and anyone can send it. */
const maxFormBytes = 64 * 1024;

/** How many levels down an item's signed fields are: body, list, entry, item, amount. */
const signedDepth = 5;

/**
 * Adyen, with one HMAC key (hexadecimal) for each webhook. Payments ("standard webhooks") carry a signature of their
 * own in each item, over eight of its fields; platforms and most others sign the body in the header `HmacSignature`.
 * Both are HMAC-SHA256 in base64. No time is signed.
 *
 * Source: https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures
 */
export const adyen: Provider = {
  name: 'adyen',
  title: 'Adyen',
  secret: {
    label: 'HMAC key',
    hint: 'Made in the Customer Area at the webhook under "Security"; hexadecimal digits.',
    problem: (secret) => (signatureBytes(secret, 'hex') ? null : 'must be hexadecimal digits, two for each byte'),
  },
  config: noConfig,
  secretHeaders: [],

  verify(request, { secret }) {
    const key = signatureBytes(secret, 'hex');
    if (!key) return { ok: false, reason: 'unusable_secret' };
    const offered = request.headerValues('hmacsignature');
    return offered.length > 0 ? verifyBody(request, key, offered) : verifyItems(request, key);
  },

  /** `AUTHORISATION`; of items that differ each code once, with commas; of a platform, `balancePlatform.transfer.created`. */
  eventType(request) {
    const items = namedItems(request);
    if (items.length > 0) {
      const codes = new Set(items.map((item) => item && stringField(item, 'eventCode')).filter((code) => code));
      return codes.size === 0 ? null : storableText([...codes].join(','));
    }
    return storableText(topLevelText(request, 'type'));
  },

  /**
   * `<eventCode>:<pspReference>` of each item, with commas; of a platform `<type>:<id>`, the id being that of the event
   * or else of what the event is about, so that several events may have it.
   */
  externalId(request) {
    const items = namedItems(request);
    const ids = items.length > 0 ? items.map(itemId) : [platformId(request)];
    return ownOrGeneratedId(request, ids.includes(null) ? null : ids.join(','));
  },

  /** Not by the id alone: a second `AUTHORISATION` of a payment may bring another outcome. */
  dedupKey: dedupByIdAndBytes,
};

/** What is signed must be an object, so that nobody sends an item's signed text as a body with the item's signature. */
function verifyBody(request: InboundRequest, key: Buffer, offered: readonly string[]): Verification {
  const verdict = matchSignature(hmac('sha256', key, [request.body]), offered, 'base64');
  return verdict.ok && !topLevelFields(request) ? { ok: false, reason: 'bad_signature' } : verdict;
}

/** Each item must be signed; what follows the first that is not is left alone. */
function verifyItems(request: InboundRequest, key: Buffer): Verification {
  const fields = asFields(request.unverifiedJson());
  const items = itemsOf(request, fields);
  for (const item of items) {
    const verdict = verifyItem(item, key);
    if (!verdict.ok) return verdict;
  }
  if (items.length === 0) return { ok: false, reason: 'missing_signature' };
  return !fields || readsOneWay(request, fields, items) ? { ok: true } : { ok: false, reason: 'bad_signature' };
}

/** Names on the way to what is signed, and of it. */
const readNames = [
  ...['notificationItems', 'NotificationRequestItem', 'pspReference', 'originalReference', 'merchantAccountCode'],
  ...['merchantReference', 'amount', 'value', 'currency', 'eventCode', 'success'],
];
const namesByLowerCase = new Map(readNames.map((name) => [name.toLowerCase(), name]));

/**
 * Whether who reads the body next must find the fields that are signed, and no others: a name that is there twice, or
 * once more in other letters, is read as the first by some and as the last by others. Forms were looked at before.
 */
function readsOneWay(request: InboundRequest, fields: Fields, items: readonly (Fields | null)[]): boolean {
  const objects = [
    fields,
    ...listField(fields, 'notificationItems'),
    ...items,
    ...items.map((item) => item && objectField(item, 'amount')),
  ];
  const names = objects.flatMap((object) => (isObject(object) ? Object.keys(object) : []));
  const asWritten = names.every((name) => (namesByLowerCase.get(name.toLowerCase()) ?? name) === name);
  return asWritten && !hasRepeatedNames(request.text() ?? '', signedDepth);
}

function verifyItem(item: Fields | null, key: Buffer): Verification {
  const additional = item && objectField(item, 'additionalData');
  const signature = additional && stringField(additional, 'hmacSignature');
  if (!item || !signature) return { ok: false, reason: 'missing_signature' };
  const text = signedText(item);
  if (text === null) return { ok: false, reason: 'bad_signature' };
  return matchSignature(hmac('sha256', key, [text]), [signature], 'base64');
}

/**
 * The fields that an item's signature covers; what is absent counts as empty. Null when one of them is no plain value, or
 * the last two are not as Adyen writes them: a platform's signed body, cut at its colons, could be eight fields too.
 */
function signedText(item: Fields): string | null {
  const amount = objectField(item, 'amount') ?? {};
  const texts = [
    plainText(item, 'pspReference'),
    plainText(item, 'originalReference'),
    plainText(item, 'merchantAccountCode'),
    plainText(item, 'merchantReference'),
    plainText(amount, 'value'),
    plainText(amount, 'currency'),
    plainText(item, 'eventCode'),
    plainText(item, 'success'),
  ];
  const [eventCode, success] = texts.slice(-2);
  if (!/^[A-Z0-9_]+$/.test(eventCode ?? '') || !/^(true|false)$/.test(success ?? '')) return null;
  return texts.some((text) => text === null) ? null : texts.join(':');
}

function plainText(fields: Fields, name: string): string | null {
  const value = ownField(fields, name);
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? null : String(value);
}

/** The `NotificationRequestItem`s of the body, null for an entry that is none; no entries when it is another webhook. */
function itemsOf(request: InboundRequest, fields: Fields | null): (Fields | null)[] {
  const form = request.body.length > maxFormBytes ? null : request.form();
  // What reads as both is neither: who reads it next may see other fields than those that are signed.
  if (form) return !beginsAsObject(request) && form.has('eventCode') ? [formItem(form)] : [];
  return listField(fields ?? {}, 'notificationItems').map((entry) =>
    isObject(entry) ? objectField(entry, 'NotificationRequestItem') : null,
  );
}

/** Also where the object itself is not read, because it is too deep or holds too much. */
function beginsAsObject(request: InboundRequest): boolean {
  return request.text()?.trimStart().startsWith('{') ?? false;
}

function namedItems(request: InboundRequest): (Fields | null)[] {
  return itemsOf(request, topLevelFields(request)).slice(0, maxNamed);
}

/** The one item of a webhook that is set to the method "HTTP POST"; `amount` and `additionalData` are flat there. */
function formItem(form: URLSearchParams): Fields {
  // A field that is there twice is read as both, so that no signature fits: who reads it next may take the other one.
  const field = (name: string) => form.getAll(name).join('\0');
  return {
    pspReference: field('pspReference'),
    originalReference: field('originalReference'),
    merchantAccountCode: field('merchantAccountCode'),
    merchantReference: field('merchantReference'),
    amount: { value: field('value'), currency: field('currency') },
    eventCode: field('eventCode'),
    success: field('success'),
    additionalData: { hmacSignature: field('additionalData.hmacSignature') },
  };
}

function itemId(item: Fields | null): string | null {
  const code = item && stringField(item, 'eventCode');
  const reference = item && stringField(item, 'pspReference');
  return code && reference ? `${code}:${reference}` : null;
}

/** Newer webhooks name the event; others only their subject, in `data` or one level below, named as in the type. */
function platformId(request: InboundRequest): string | null {
  const type = topLevelText(request, 'type');
  if (!type) return null;
  const subject = type.split('.', 2)[1] ?? '';
  const id =
    identifierAt(request, 'eventId') ??
    identifierAt(request, 'id') ??
    identifierAt(request, 'data', 'eventId') ??
    identifierAt(request, 'data', 'id') ??
    identifierAt(request, 'data', subject, 'id');
  return id === null ? null : `${type}:${id}`;
}
