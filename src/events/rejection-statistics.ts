import type { Sql } from '../database/sql.ts';
import type { DeliveryStats } from './delivery-schemas.ts';
import type { RejectionLimits } from './rejection-limits.ts';
import { allAccounts } from './transitions/rejected.ts';

type RejectedToday = DeliveryStats['rejected_today'];

const readRejectedToday = {
  name: '',
  text: `
    select coalesce(sum(seen) filter (where account_id = '${allAccounts}'), 0)::float8 as received,
      coalesce(sum(bytes) filter (where account_id = '${allAccounts}'), 0)::float8 as bytes,
      (count(*) filter (where account_id <> '${allAccounts}' and bytes >= $1::bigint))::integer as accounts_at_limit,
      (select coalesce(sum(rejected), 0)::float8 from (
        select hour, rejected from event_stats union all select hour, rejected from event_stat_deltas) s
        where hour >= date_trunc('day', now(), 'UTC')) as kept
    from rejection_days where day = (now() at time zone 'UTC')::date`,
};

/** Reads how many webhooks were rejected today, and whether a daily limit is reached. */
export async function rejectedOfToday(sql: Sql, limits: RejectionLimits): Promise<RejectedToday> {
  const [row] = await sql.query<Pick<RejectedToday, 'received' | 'kept' | 'bytes' | 'accounts_at_limit'>>(
    readRejectedToday,
    [limits.accountDailyBytes],
  );
  if (!row) throw new Error('a statement of aggregates answered without a row');
  return {
    ...{ received: row.received, kept: row.kept, bytes: Math.min(row.bytes, limits.dailyBytes) },
    limit_bytes: limits.dailyBytes,
    limit_reached: row.bytes >= limits.dailyBytes,
    accounts_at_limit: row.accounts_at_limit,
  };
}
