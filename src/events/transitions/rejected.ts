/**
 * Rows kept per account and minute: enough to see what is wrong with a sender. Further webhooks are only counted, in
 * one row per account and minute that is kept for a day.
 */
const rowsPerMinute = 60;

/**
 * The size of a row without its body and headers, in bytes: the columns in `events` and `event_payloads` with their
 * index entries (about 0.5 KB), and the entries in the indexes of the lists. Without it, a flood of empty bodies would
 * count as nothing.
 */
export const rowBytes = 1024;

/** Stands for all accounts together, in place of an account's id. */
export const allAccounts = '00000000-0000-0000-0000-000000000000';

/** The answer of {@link recordRejections}. */
export interface Recorded {
  /** Rows that were not kept because of a daily limit. */
  refused: number;
  /** Accounts that have reached the limit of this minute. */
  full_minute: string[];
  /** Accounts that have reached their limit of this day (UTC). */
  full_day: string[];
  /** Whether the daily limit of all accounts together is reached. */
  all_full: boolean;
}

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | the webhook is not verified | `rejected` | null: there is nothing to deliver |
 *
 * `rejection_reason` never changes. Replay and retry check it to refuse the event, even if an operator has changed its
 * status.
 *
 * Counts rejected webhooks by account and minute, and by account and day, and keeps those within the limits. Each limit
 * only counts webhooks that have passed the limits before it, so that a flood to one account does not use up the limit
 * of all accounts. The counters are locked in the order of limits and accounts, so that two statements never deadlock.
 */
export const recordRejections = {
  name: 'record_rejections',
  text: `
    with input as (
      select *, octet_length(body) + octet_length(headers::text) + ${rowBytes} as bytes,
        row_number() over (partition by account_id order by id) as place
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                  $8::timestamptz[], $9::json[], $10::text[], $11::bytea[], $12::text[], $13::integer[], $14::bytea[], $15::boolean[], $16::text[])
        as t (id, account_id, provider, account_slug, app_key, event_type, external_id, received_at, headers, content_type, body, reason,
              payload_bytes, payload_sha256, headers_truncated, detail)
    ), arrived as (
      select account_id, count(*)::integer as n from unnest($17::uuid[]) as a (account_id) group by account_id
    ), minutes as (
      insert into rejection_counts as c (account_id, minute, seen)
      select account_id, date_trunc('minute', now()), n from arrived order by account_id
      on conflict (account_id, minute) do update set seen = c.seen + excluded.seen
      returning account_id, seen
    ), in_minute as (
      select i.*, sum(i.bytes) over (partition by account_id order by i.place) as running
      from input i join minutes m using (account_id) join arrived a using (account_id)
      where i.place <= ${rowsPerMinute} - (m.seen - a.n)
    ), asked as (
      select account_id, a.n, coalesce(sum(i.bytes), 0) as bytes
      from arrived a left join in_minute i using (account_id) group by account_id, a.n
    ), days as (
      insert into rejection_days as d (day, account_id, seen, bytes)
      select (now() at time zone 'UTC')::date, account_id, n, bytes from asked order by account_id
      on conflict (day, account_id) do update set seen = d.seen + excluded.seen, bytes = d.bytes + excluded.bytes
      returning account_id, bytes
    ), in_day as (
      select i.*, sum(i.bytes) over (order by i.id) as running_of_all
      from in_minute i join days d using (account_id) join asked a using (account_id)
      where d.bytes - a.bytes + i.running <= $18::bigint
    ), asked_of_all as (
      select coalesce(sum(bytes), 0) as bytes from in_day
    ), of_all as (
      insert into rejection_days as d (day, account_id, seen, bytes)
      select (now() at time zone 'UTC')::date, '${allAccounts}', (select sum(n) from arrived), bytes from asked_of_all
      on conflict (day, account_id) do update set seen = d.seen + excluded.seen, bytes = d.bytes + excluded.bytes
      returning bytes
    ), kept as (
      select i.* from in_day i cross join of_all o cross join asked_of_all a
      where o.bytes - a.bytes + i.running_of_all <= $19::bigint
    ), stored as (
      insert into events (id, account_id, provider, account_slug, app_key, event_type, external_id, status, rejection_reason, rejection_detail, generation_at, received_at)
      select id, account_id, provider, account_slug, app_key, event_type, external_id, 'rejected', reason, detail, received_at, received_at from kept
    ), payloads as (
      insert into event_payloads (event_id, headers, content_type, body, payload_bytes, payload_sha256, headers_truncated)
      select id, headers, content_type, body, payload_bytes, payload_sha256, headers_truncated from kept
    )
    select ((select count(*) from in_minute) - (select count(*) from kept))::integer as refused,
      array(select account_id from minutes where seen >= ${rowsPerMinute}) as full_minute,
      array(select account_id from days where bytes >= $18::bigint) as full_day,
      (select bytes >= $19::bigint from of_all) as all_full`,
};
