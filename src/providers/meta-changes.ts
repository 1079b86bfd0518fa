import { asFields, type Fields, listField, objectField, stringField } from './fields.ts';

/** One change in a notification: the subscription's field, such as `messages`, and its value. */
export interface MetaChange {
  field: string;
  value: Fields;
}

/**
 * The key that identifies a Messenger or Instagram item of `messaging`, and the subscription field it belongs to.
 *
 * Source: https://developers.facebook.com/docs/messenger-platform/reference/webhook-events
 */
const messagingFields: readonly (readonly [key: string, field: string])[] = [
  ['message', 'messages'],
  ['message_edit', 'message_edits'],
  ['postback', 'messaging_postbacks'],
  ['reaction', 'message_reactions'],
  ['delivery', 'message_deliveries'],
  ['read', 'message_reads'],
  ['optin', 'messaging_optins'],
  ['referral', 'messaging_referrals'],
  ['account_linking', 'messaging_account_linking'],
  ['pass_thread_control', 'messaging_handovers'],
  ['take_thread_control', 'messaging_handovers'],
  ['request_thread_control', 'messaging_handovers'],
  ['app_roles', 'messaging_handovers'],
  ['policy_enforcement', 'messaging_policy_enforcement'],
  ['game_play', 'messaging_game_plays'],
  ['response_feedback', 'response_feedback'],
  ['messaging_feedback', 'messaging_feedback'],
  ['messaging_customer_information', 'messaging_customer_information'],
];

/**
 * The fields that have another name for Instagram than for Messenger.
 *
 * Source: https://developers.facebook.com/docs/graph-api/webhooks/reference/instagram
 */
const instagramFields: ReadonlyMap<string, string> = new Map([
  ['message_edits', 'message_edit'],
  ['message_reads', 'messaging_seen'],
  ['messaging_referrals', 'messaging_referral'],
  ['messaging_handovers', 'messaging_handover'],
]);

/** Meta puts at most this many changes into one notification. Further ones are ignored, to bound the work. */
const maxChanges = 1000;

/** The changes of all entries in order; at most the first {@link maxChanges} entries and items, valid or not. */
export function* metaChanges(notification: Fields): Generator<MetaChange> {
  const object = stringField(notification, 'object');
  let count = 0;
  for (const entry of listField(notification, 'entry').slice(0, maxChanges)) {
    for (const change of itemsOf(asFields(entry) ?? {}, object)) {
      if (++count > maxChanges) return;
      if (change) yield change;
    }
  }
}

/** One value for each item of the entry; null for an invalid item of a list, so that the caller can count it. */
function* itemsOf(entry: Fields, object: string | null): Generator<MetaChange | null> {
  // With Instagram login, an entry is itself the change of a comment
  // (https://developers.facebook.com/docs/instagram-platform/webhooks/examples).
  const own = changeIn(entry);
  if (own) yield own;
  for (const item of listField(entry, 'changes')) yield changeIn(asFields(item) ?? {});
  for (const item of listField(entry, 'messaging')) {
    const value = asFields(item);
    yield value && { field: messagingField(value, object), value };
  }
  for (const item of listField(entry, 'standby')) {
    const value = asFields(item);
    yield value && { field: 'standby', value };
  }
  for (const field of listField(entry, 'changed_fields')) {
    yield typeof field === 'string' ? { field, value: {} } : null;
  }
}

function changeIn(fields: Fields): MetaChange | null {
  const field = stringField(fields, 'field');
  return field ? { field, value: objectField(fields, 'value') ?? {} } : null;
}

function messagingField(item: Fields, object: string | null): string {
  const found = messagingFields.find(([key]) => objectField(item, key));
  if (!found) return 'messaging';
  const [, field] = found;
  if (object === 'instagram') return instagramFields.get(field) ?? field;
  return objectField(item, 'message')?.is_echo === true ? 'message_echoes' : field;
}

/** The id of the change, unique within Meta: of a message, comment or lead. Null when the change has no id. */
export function metaChangeId({ field, value }: MetaChange): string | null {
  for (const name of ['message', 'postback', 'message_edit', 'reaction', 'read', 'response_feedback']) {
    const id = text(objectField(value, name), 'mid');
    if (id) return id;
  }
  for (const name of ['messages', 'message_echoes', 'calls']) {
    const id = text(asFields(listField(value, name)[0]), 'id');
    if (id) return id;
  }
  const status = asFields(listField(value, 'statuses')[0]);
  const message = text(status, 'id');
  // The states `sent`, `delivered` and `read` of a message share its id.
  if (message) return `${message}:${text(status, 'status') ?? ''}`;
  if (field === 'leadgen') return text(value, 'leadgen_id');
  return field === 'comments' || field === 'live_comments' ? text(value, 'id') : null;
}

/** A non-empty string, or a safe integer as a string; null otherwise. */
function text(fields: Fields | null, name: string): string | null {
  const value = fields?.[name];
  if (typeof value === 'string') return value === '' ? null : value;
  return Number.isSafeInteger(value) ? String(value) : null;
}
