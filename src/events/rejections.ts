import { Batcher } from '../database/batcher.ts';
import type { Database } from '../database/database.ts';
import { databaseFailure } from '../database/errors.ts';
import { ensurePartitions } from '../database/partitions.ts';
import { bodyBytes, inboundColumns, type ReceivedEvent } from './receive.ts';

/** A webhook that failed verification. */
export type RejectedEvent = Omit<ReceivedEvent, 'dedupKey'> & { reason: string };

/** Rows an account and minute; past them there is only the counter, so that a flood of bad webhooks fills no disk. */
const rowsPerMinute = 60;

const recordRejections = {
  name: 'record_rejections',
  text: `
    with input as (
      select *, row_number() over (partition by account_id order by id) as place
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                  $8::timestamptz[], $9::json[], $10::text[], $11::bytea[], $12::text[])
        as t (id, account_id, provider, account_slug, app_key, event_type, external_id, received_at, headers, content_type, body, reason)
    ), arrived as (
      select account_id, count(*)::integer as n from input group by account_id
    ), counted as (
      insert into rejection_counts as c (account_id, minute, seen)
      select account_id, date_trunc('minute', now()), n from arrived order by account_id
      on conflict (account_id, minute) do update set seen = c.seen + excluded.seen
      returning account_id, seen
    ), kept as (
      select i.* from input i join counted c using (account_id) join arrived a using (account_id)
      where i.place <= ${rowsPerMinute} - (c.seen - a.n)
    ), stored as (
      insert into events (id, account_id, provider, account_slug, app_key, event_type, external_id, status, rejection_reason, generation_at, received_at)
      select id, account_id, provider, account_slug, app_key, event_type, external_id, 'rejected', reason, received_at, received_at from kept
    ), payloads as (
      insert into event_payloads (event_id, headers, content_type, body) select id, headers, content_type, body from kept
    )
    select id from kept`,
};

/** Records webhooks that failed verification: `rejected`, never deduped, never delivered. */
export class RejectionRecorder {
  readonly #batcher: Batcher<RejectedEvent, true>;

  constructor(database: Database) {
    const store = async (events: RejectedEvent[], tries = 2): Promise<true[]> => {
      try {
        await database.query(recordRejections, [...inboundColumns(events), events.map((e) => e.reason)]);
        return events.map(() => true);
      } catch (error) {
        const failure = databaseFailure(error);
        if (failure === 'bad_data') {
          // One row that PostgreSQL does not take must not cost the others; of that one there is nothing to keep.
          if (events.length > 1) await Promise.all(events.map((event) => store([event], tries)));
          return events.map(() => true);
        }
        if (tries === 0 || failure === 'unavailable') throw error;
        if (failure === 'no_partition') await ensurePartitions(database, events[0]?.receivedAt ?? new Date(), 1);
        return store(events, tries - 1);
      }
    };
    this.#batcher = new Batcher<RejectedEvent, true>((events) => store(events), {
      maxBatch: 256,
      maxRunning: 1,
      maxWaiting: 5_000,
      bytes: bodyBytes,
    });
  }

  /**
   * Resolves after the commit, whether a row was kept or only counted; one that PostgreSQL does not take is neither.
   * Throws what the database throws when it is away.
   */
  async record(event: RejectedEvent): Promise<void> {
    await this.#batcher.add(event);
  }
}
