import type { Sql } from '../database/sql.ts';
import { uuidFloor } from '../database/uuid-time.ts';
import type { Header } from '../providers/inbound-request.ts';
import { providers } from '../providers/registry.ts';
import { idRange } from './id-range.ts';

/** Why a rejected webhook cannot be checked again, each as a sentence. */
export const notCheckable = {
  secret_not_stored:
    'Webhooks of this provider may carry the secret itself. It is never stored, so it cannot be compared again.',
  signature_not_stored: 'The provider signs in the header Authorization, whose value is never stored.',
  body_not_whole: 'Only the beginning of the body was kept (REJECTED_BODY_BYTES), and the signature covers all of it.',
  headers_not_whole: 'Headers beyond 8 KiB were not kept, and consumers would get the webhook without them.',
} as const;

export type NotCheckable = keyof typeof notCheckable;

/** Why a rejected webhook cannot be checked again; null: it can. */
export function whyNotCheckable(webhook: {
  provider: string;
  body: Uint8Array;
  payloadBytes: number;
  headersTruncated: boolean;
}): NotCheckable | null {
  const { notKept } = providers.get(webhook.provider) ?? {};
  if (notKept !== undefined) return notKept;
  if (webhook.payloadBytes > webhook.body.length) return 'body_not_whole';
  return webhook.headersTruncated ? 'headers_not_whole' : null;
}

const readRejected = {
  name: 'read_rejected_webhook',
  text: `
    select e.provider, e.account_slug as "sentTo", e.account_id as "accountId", e.rejection_reason as reason, e.received_at as "receivedAt",
      a.account_slug as "accountSlug", a.provider as "accountProvider", a.deleted_at is not null as "isDeleted", p.headers, p.body,
      coalesce(p.payload_bytes, octet_length(p.body)) as "payloadBytes", coalesce(p.headers_truncated, false) as "headersTruncated"
    from events e join event_payloads p on p.event_id = coalesce(e.request_id, e.id) and p.event_id between $2 and $3
      left join accounts a on a.id = e.account_id
    where e.id = $1`,
};

/** A webhook as it is stored. */
export interface StoredWebhook {
  provider: string;
  /** The slug of the address that it was sent to. */
  sentTo: string;
  receivedAt: Date;
  headers: Header[];
  body: Buffer;
}

/** A stored webhook with its account, as a check needs it. */
export interface KeptWebhook extends StoredWebhook {
  accountId: string;
  /** Null: it was not rejected. */
  reason: string | null;
  /** The slug of the account now; null: the account is gone. */
  accountSlug: string | null;
  /** The provider of the account now; `provider` is the one that the webhook was sent to. */
  accountProvider: string | null;
  isDeleted: boolean | null;
  payloadBytes: number;
  headersTruncated: boolean;
}

/** Reads a stored webhook; null if there is no event with this id. */
export async function readKeptWebhook(sql: Sql, eventId: string): Promise<KeptWebhook | null> {
  return (await sql.query<KeptWebhook>(readRejected, [eventId, ...idRange([eventId])]))[0] ?? null;
}

const findChecked = {
  name: 'find_rejection_check',
  text: 'select event_id as "eventId" from rejection_checks where rejected_event_id = $1',
};

/** The event that an earlier check of a rejected webhook has found or made; null: none has. */
export async function checkedAs(sql: Sql, rejectedId: string): Promise<string | null> {
  return (await sql.query<{ eventId: string }>(findChecked, [rejectedId]))[0]?.eventId ?? null;
}

const insertCheck = {
  name: 'insert_rejection_check',
  text: `
    insert into rejection_checks (rejected_event_id, event_id, made) values ($1, $2, true)
    on conflict (rejected_event_id) do nothing returning 1 as one`,
};

/**
 * Notes that a check makes this event of a rejected webhook. Waits for a concurrent check of the same webhook.
 *
 * @returns false if another check has come first.
 */
export async function noteMade(sql: Sql, rejectedId: string, eventId: string): Promise<boolean> {
  return (await sql.query<{ one: number }>(insertCheck, [rejectedId, eventId])).length > 0;
}

/**
 * At most so many bodies are in memory at a time. If more events have the id, the ids of the sender are not unique, and
 * a duplicate has the same bytes. So those with the same bytes come first.
 */
const mostCompared = 10;
/**
 * Events with the id whose bytes are looked at, of those received before the webhook and after it: the nearest ones. An id that
 * a device sends with each of its values may have a million, and to read all would take longer than a statement may.
 */
const mostLookedAt = 5_000;

const hasId =
  'e.external_id = $2 and e.account_id = $1 and e.rejection_reason is null and e.request_id is null and e.id >= $3';

const readAccepted = {
  name: 'read_accepted_with_external_id',
  text: `
    with near as materialized (
      (select e.id, e.provider, e.account_slug, e.received_at from events e where ${hasId} and e.id < $5 order by e.id desc limit ${mostLookedAt})
      union all
      (select e.id, e.provider, e.account_slug, e.received_at from events e where ${hasId} and e.id >= $5 order by e.id limit ${mostLookedAt})
    )
    select n.id, n.provider, n.account_slug as "sentTo", n.received_at as "receivedAt", p.headers, p.body
    from near n join event_payloads p on p.event_id = n.id and p.event_id >= $3
    order by p.body = $4 desc, n.id limit ${mostCompared}`,
};

/**
 * The webhooks of an account that were accepted since then with the provider's id, by their first events: those with
 * the bytes of `webhook` first, then the oldest.
 */
export function readAcceptedWith(
  sql: Sql,
  asked: { accountId: string; externalId: string; since: Date; webhook: Pick<StoredWebhook, 'body' | 'receivedAt'> },
): Promise<(StoredWebhook & { id: string })[]> {
  const { accountId, externalId, since, webhook } = asked;
  return sql.query(readAccepted, [
    ...[accountId, externalId, uuidFloor(since)],
    ...[webhook.body, uuidFloor(webhook.receivedAt)],
  ]);
}

const changeToAccepted = {
  name: 'rejection_check_of_accepted',
  text: 'update rejection_checks set event_id = $2, made = false where rejected_event_id = $1',
};

/** Notes this event in place of the one that the check would have made. */
export async function noteAccepted(sql: Sql, rejectedId: string, eventId: string): Promise<void> {
  await sql.query(changeToAccepted, [rejectedId, eventId]);
}

// The event of a key may have been dropped with its day.
const changeToDuplicate = {
  name: 'rejection_check_of_duplicate',
  text: `
    update rejection_checks c set event_id = d.event_id, made = false
    from event_dedup d join events e on e.id = d.event_id
    where c.rejected_event_id = $1 and d.key = $2 returning d.event_id as "eventId"`,
};

const dropKey = {
  name: 'drop_key_of_dropped_event',
  text: 'delete from event_dedup where key = $1 and not exists (select 1 from events where id = event_id)',
};

/**
 * Notes the event that has the deduplication key in place of the one that the check would have made.
 *
 * @returns its id; null if it no longer exists. Its key is then deleted.
 */
export async function noteDuplicate(sql: Sql, rejectedId: string, dedupKey: string): Promise<string | null> {
  const [found] = await sql.query<{ eventId: string }>(changeToDuplicate, [rejectedId, dedupKey]);
  if (!found) await sql.query(dropKey, [dedupKey]);
  return found?.eventId ?? null;
}
