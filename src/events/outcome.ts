import { Batcher } from '../database/batcher.ts';
import type { Sql } from '../database/database.ts';
import type { AttemptName, DeliveryStatus, EventStatus } from './event.ts';
import { idRange } from './id-range.ts';

/** One attempt that was made, to be recorded. */
export interface Outcome extends AttemptName {
  startedAt: Date;
  durationMs: number;
  outcome: string;
  responseCode: number | null;
  responseBody: string | null;
  error: string | null;
  /** Where it went, without credentials; null when nothing was sent. */
  url: string | null;
  /** The answer was 2xx. */
  succeeded: boolean;
  /** It was the last scheduled one: a failure ends the delivery. */
  last: boolean;
  nextAttemptAt: Date | null;
  /** The relay's lease, when the relay made the attempt: a lost lease records nothing. */
  claimToken: string | null;
}

export interface Recorded {
  /** False when the name was recorded before, or the lease was lost: nothing changed. */
  recorded: boolean;
  /** This statement turned `pending` into `failed`: the one moment at which an event is exhausted. */
  exhausted: boolean;
  /** The event's generation and states now. */
  generation: number;
  status: EventStatus;
  deliveryStatus: DeliveryStatus | null;
  /** The delivery was ended by the deletion of its account before this attempt was recorded. */
  accountDeleted: boolean;
}

// Rows are locked in the order of their keys before they change, so that batches never deadlock, and what they held
// before the change decides what the change means. Only reading is bounded by the range of ids: see `idRange`.
const recordOutcomes = {
  name: 'record_outcomes',
  text: `
    with input as (
      select * from unnest($1::uuid[], $2::integer[], $3::text[], $4::integer[], $5::timestamptz[], $6::double precision[], $7::text[],
                           $8::integer[], $9::text[], $10::text[], $11::text[], $12::boolean[], $13::boolean[], $14::timestamptz[], $15::uuid[])
        as t (event_id, generation, trigger, number, started_at, duration_ms, outcome, response_code, response_body, error, url,
              succeeded, last, next_attempt_at, claim_token)
    ), before as (
      select e.id, e.account_id, e.generation, e.status, e.delivery_status from events e
      where e.id in (select event_id from input) and e.id between $16 and $17 order by e.id for update
    ), held as (
      select i.* from input i
      where i.claim_token is null or exists (
        select 1 from event_queue q where q.event_id = i.event_id and (q.claim_token = i.claim_token or q.generation > i.generation))
    ), recorded as (
      insert into delivery_attempts (event_id, generation, trigger, number, started_at, duration_ms, outcome, response_code, response_body, error, url)
      select event_id, generation, trigger, number, started_at, duration_ms, outcome, response_code, response_body, error, url from held
      order by event_id on conflict do nothing
      returning event_id
    ), change as (
      select i.*,
        case
          when i.succeeded and i.trigger = 'schedule' then b.delivery_status = 'pending'
          when i.succeeded then b.status <> 'dead' and b.delivery_status in ('pending', 'failed')
          else false
        end as delivered,
        not i.succeeded and i.last and b.delivery_status = 'pending' as exhausted,
        i.trigger = 'schedule' and b.delivery_status = 'pending' as advances
      from input i join recorded r using (event_id) join before b on b.id = i.event_id and b.generation = i.generation
    ), changed as (
      update events e set
        attempts = e.attempts + 1,
        scheduled_attempts = case when c.trigger = 'schedule' then greatest(e.scheduled_attempts, c.number) else e.scheduled_attempts end,
        -- The reason for which people ended the delivery meanwhile outlives whatever the attempt came to.
        last_error = case
          when c.delivered then null
          when c.succeeded or e.delivery_status = 'delivered' or e.status = 'dead' or (c.trigger = 'schedule' and not c.advances) then e.last_error
          else c.error
        end,
        response_code = case when not c.succeeded and e.delivery_status = 'delivered' then e.response_code else c.response_code end,
        delivery_status = case when c.delivered then 'delivered' when c.exhausted then 'failed' else e.delivery_status end,
        status = case when c.exhausted and e.status not in ('processed', 'dead') then 'failed' else e.status end,
        delivered_at = case when c.delivered then c.started_at + make_interval(secs => c.duration_ms / 1000) else e.delivered_at end,
        next_attempt_at = case when c.delivered or c.exhausted then null when c.advances then c.next_attempt_at else e.next_attempt_at end,
        held_since = case when c.trigger = 'schedule' then null else e.held_since end
      from change c where e.id = c.event_id
      returning e.id, e.status, e.delivery_status, c.exhausted
    ), queued as (
      update event_queue q set lane = case when c.delivery_status = 'pending' then 1 else 2 end, direct = false, claimed_until = null, claim_token = null
      from changed c join input i on i.event_id = c.id
      where q.event_id = c.id and q.generation = i.generation and q.claim_token = i.claim_token
    )
    select b.id, b.generation, r.event_id is not null as recorded, coalesce(c.exhausted, false) as exhausted,
      coalesce(c.status, b.status) as status, case when c.id is null then b.delivery_status else c.delivery_status end as delivery_status,
      case when b.delivery_status = 'failed' then (select a.deleted_at is not null from accounts a where a.id = b.account_id) else false end as account_deleted
    from before b left join recorded r on r.event_id = b.id left join changed c on c.id = b.id`,
};

interface Row {
  id: string;
  generation: number;
  recorded: boolean;
  exhausted: boolean;
  status: EventStatus;
  delivery_status: DeliveryStatus | null;
  account_deleted: boolean;
}

/** Records attempts with what they mean for their events, all that finished together in one statement. */
export class OutcomeRecorder {
  readonly #batcher: Batcher<Outcome, { recorded: Recorded | null }>;

  constructor(sql: Sql) {
    this.#batcher = new Batcher(
      async (outcomes) => {
        const rows = await sql.query<Row>(recordOutcomes, columns(outcomes));
        const found = new Map(rows.map((row) => [row.id, row]));
        return outcomes.map((outcome) => {
          const row = found.get(outcome.eventId);
          if (!row) return { recorded: null };
          const { recorded, exhausted, generation, status } = row;
          const { delivery_status: deliveryStatus, account_deleted: accountDeleted } = row;
          return { recorded: { recorded, exhausted, generation, status, deliveryStatus, accountDeleted } };
        });
      },
      { maxBatch: 256, maxRunning: 2, key: (outcome) => outcome.eventId },
    );
  }

  /** Null when there is no such event any more. Throws what the database throws; then nothing was recorded. */
  async record(outcome: Outcome): Promise<Recorded | null> {
    return (await this.#batcher.add(outcome)).recorded;
  }
}

function columns(outcomes: Outcome[]): unknown[] {
  return [
    outcomes.map((o) => o.eventId),
    outcomes.map((o) => o.generation),
    outcomes.map((o) => o.trigger),
    outcomes.map((o) => o.number),
    outcomes.map((o) => o.startedAt),
    outcomes.map((o) => o.durationMs),
    outcomes.map((o) => o.outcome),
    outcomes.map((o) => o.responseCode),
    outcomes.map((o) => o.responseBody),
    outcomes.map((o) => o.error),
    outcomes.map((o) => o.url),
    outcomes.map((o) => o.succeeded),
    outcomes.map((o) => o.last),
    outcomes.map((o) => o.nextAttemptAt),
    outcomes.map((o) => o.claimToken),
    ...idRange(outcomes.map((o) => o.eventId)),
  ];
}
