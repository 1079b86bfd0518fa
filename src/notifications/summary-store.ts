import { databaseClock } from '../database/clock.ts';
import type { Sql } from '../database/sql.ts';
import type { DestinationType } from './destinations/destination-config.ts';
import type { SealedSettings } from './destinations/sealed-settings.ts';
import { outcomeUnknown } from './retries.ts';

/** A summary that this process has claimed for its next try. It accepts no more events. */
export interface ClaimedSummary {
  id: string;
  attempt: number;
  settings: SealedSettings;
  /** As {@link databaseClock}. */
  nowMs: () => number;
  account: { provider: string; account_slug: string; app_key: string };
  events: number;
  firstEventIds: string[];
  firstReceivedAt: Date;
  lastReceivedAt: Date;
  firstFailedAt: Date;
  lastFailedAt: Date;
}

// A summary is due after its last try only if the outcome of that try was not recorded: its worker ended.
const claimDueSummaries = {
  name: 'claim_summaries',
  text: `
    with due as (
      select id, attempts < $3 as has_try from notification_summaries where status = 'pending' and due_at <= now()
      order by due_at limit $2 for update skip locked
    )
    update notification_summaries s set
      attempts = attempts + due.has_try::integer,
      due_at = case when due.has_try then clock_timestamp() + make_interval(secs => $1) end,
      status = case when due.has_try then s.status else 'failed' end,
      error = case when due.has_try then s.error else coalesce(s.error, $4) end
    from due where s.id = due.id
    returning s.id, s.attempts as attempt, s.status, s.events, s.first_event_ids as "firstEventIds",
      s.first_received_at as "firstReceivedAt", s.last_received_at as "lastReceivedAt",
      s.first_failed_at as "firstFailedAt", s.last_failed_at as "lastFailedAt", s.destination_id, s.account_id,
      s.destination_type, s.config, s.provider, s.account_slug, s.app_key, clock_timestamp() as read_at`,
};

type Row = Omit<ClaimedSummary, 'settings' | 'nowMs' | 'account'> &
  ClaimedSummary['account'] &
  Omit<SealedSettings, 'id'> & { destination_id: string; read_at: Date; status: 'pending' | 'failed' };

/** The result of a claim of summaries. */
export interface ClaimedSummaries {
  claimed: ClaimedSummary[];
  /** The types of the destinations whose summaries have failed, because the outcome of their last try is unknown. */
  failed: DestinationType[];
}

/**
 * Claims the summaries that have been due for the longest time. Those without a try left fail.
 *
 * @param options.tries the number of tries in total
 */
export async function claimSummaries(
  sql: Sql,
  options: { tries: number; leaseS: number; limit: number },
): Promise<ClaimedSummaries> {
  const { tries, leaseS, limit } = options;
  const rows = await sql.query<Row>(claimDueSummaries, [leaseS, limit, tries, outcomeUnknown]);
  return {
    claimed: rows.filter(({ status }) => status === 'pending').map(toClaimed),
    failed: rows.filter(({ status }) => status === 'failed').map((row) => row.destination_type),
  };
}

function toClaimed({ status: _status, ...row }: Row): ClaimedSummary {
  const { destination_id, account_id, destination_type, config, provider, account_slug, app_key, read_at, ...others } =
    row;
  return {
    ...others,
    settings: { id: destination_id, account_id, destination_type, config },
    nowMs: databaseClock(read_at),
    account: { provider, account_slug, app_key },
  };
}
