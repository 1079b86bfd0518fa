import { isRecord } from '../shared/is-record.ts';
import { storableText } from '../shared/text.ts';
import { dedupByIdAndBytes, ownOrGeneratedId } from './external-id.ts';
import {
  asFields,
  type Fields,
  identifierAt,
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

/** Only the first items are read for ids and types. Adyen sends one. */
const maxNamed = 10;

/**
 * A form holds one item of about 1 KB. Decoding 1 MiB of percent signs takes 27 ms (measured), and anyone can send it.
 */
const maxFormBytes = 64 * 1024;

/** The nesting level of an item's deepest signed fields: body, list, entry, item, amount. */
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
  verification: 'HMAC-SHA256 of each notification, or of the body',
  secret: {
    label: 'HMAC key',
    hint: 'Generated in the Customer Area, in the settings of the webhook under "Security"; hexadecimal digits.',
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

  /**
   * Payments: the event code, such as `AUTHORISATION`; several different codes are joined by commas. Platforms: the
   * type, such as `balancePlatform.transfer.created`; classic platforms: as `ACCOUNT_HOLDER_CREATED`.
   */
  eventType(request) {
    const items = namedItems(request);
    if (items.length > 0) {
      const codes = new Set(items.map((item) => item && stringField(item, 'eventCode')).filter((code) => code));
      return codes.size === 0 ? null : storableText([...codes].join(','));
    }
    return storableText(topLevelText(request, 'type') ?? topLevelText(request, 'eventType'));
  },

  /**
   * Payments: `<eventCode>:<pspReference>` of each item, joined by commas. Platforms: `<type>:<id>` with the id of the
   * event, or else of its subject; several events can share the latter. Classic platforms: `<eventType>:<pspReference>`.
   */
  externalId(request) {
    const items = namedItems(request);
    const ids = items.length > 0 ? items.map((item) => referenceId(item, 'eventCode')) : [platformId(request)];
    return ownOrGeneratedId(request, ids.includes(null) ? null : ids.join(','));
  },

  /** Not by the id alone: a second `AUTHORISATION` of a payment may have another outcome. */
  dedupKey: dedupByIdAndBytes,
};

/**
 * The body must be an object. Otherwise an attacker could send an item's signed text as the body, with the signature of
 * the item.
 */
function verifyBody(request: InboundRequest, key: Buffer, offered: readonly string[]): Verification {
  const verdict = matchSignature(hmac('sha256', key, [request.body]), offered, 'base64');
  return verdict.ok && !topLevelFields(request) ? { ok: false, reason: 'bad_signature' } : verdict;
}

/** Each item must be signed. Verification ends at the first item that is not. */
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

/** The names of the signed fields and of the objects that contain them. */
const readNames = [
  ...['notificationItems', 'NotificationRequestItem', 'pspReference', 'originalReference', 'merchantAccountCode'],
  ...['merchantReference', 'amount', 'value', 'currency', 'eventCode', 'success'],
];
const namesByLowerCase = new Map(readNames.map((name) => [name.toLowerCase(), name]));

/**
 * Whether every JSON parser finds the signed fields in the body, and no others with their names. If a name occurs
 * twice, or once more in another case, some parsers read the first value and others the last. Forms are checked
 * elsewhere.
 */
function readsOneWay(request: InboundRequest, fields: Fields, items: readonly (Fields | null)[]): boolean {
  const objects = [
    fields,
    ...listField(fields, 'notificationItems'),
    ...items,
    ...items.map((item) => item && objectField(item, 'amount')),
  ];
  const names = objects.flatMap((object) => (isRecord(object) ? Object.keys(object) : []));
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
 * The text that an item's signature covers: eight fields, empty where absent. Null when a field is an object or a list,
 * or when the last two fields are not in Adyen's form: a platform's signed body, cut at its colons, could also be eight
 * fields.
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

/** The `NotificationRequestItem`s of the body, null for an entry without one. Empty for a platform's webhook. */
function itemsOf(request: InboundRequest, fields: Fields | null): (Fields | null)[] {
  const form = request.body.length > maxFormBytes ? null : request.form();
  // A body that parses as both form and JSON is refused: the consumer may read other fields than the signed ones.
  if (form) return !beginsAsObject(request) && form.has('eventCode') ? [formItem(form)] : [];
  return listField(fields ?? {}, 'notificationItems').map((entry) =>
    isRecord(entry) ? objectField(entry, 'NotificationRequestItem') : null,
  );
}

/** Looks only at the first character, so it also holds for objects that are too deep or too large to parse. */
function beginsAsObject(request: InboundRequest): boolean {
  return request.text()?.trimStart().startsWith('{') ?? false;
}

function namedItems(request: InboundRequest): (Fields | null)[] {
  return itemsOf(request, topLevelFields(request)).slice(0, maxNamed);
}

/**
 * The single item of a form, which Adyen sends with the method "HTTP POST". Its `amount` and `additionalData` are flat.
 */
function formItem(form: URLSearchParams): Fields {
  // The values of a repeated field are joined, so that no signature matches: the consumer may read the other value.
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

function referenceId(fields: Fields | null, typeName: 'eventCode' | 'eventType'): string | null {
  const type = fields && stringField(fields, typeName);
  const reference = fields && stringField(fields, 'pspReference');
  return type && reference ? `${type}:${reference}` : null;
}

/**
 * Newer webhooks have an event id. Others only have the id of their subject, in `data` or in `data.<subject>`. Those of
 * classic platforms (https://docs.adyen.com/classic-platforms/notification-types) have a reference.
 */
function platformId(request: InboundRequest): string | null {
  const type = topLevelText(request, 'type');
  if (!type) return referenceId(topLevelFields(request), 'eventType');
  const subject = type.split('.', 2)[1] ?? '';
  const id =
    identifierAt(request, 'eventId') ??
    identifierAt(request, 'id') ??
    identifierAt(request, 'data', 'eventId') ??
    identifierAt(request, 'data', 'id') ??
    identifierAt(request, 'data', subject, 'id');
  return id === null ? null : `${type}:${id}`;
}
