import { lanes } from '../../../src/events/lanes.ts';
import type { Account } from './admin-calls.ts';
import type { Stage } from './stage.ts';

// The gateway's user inserts the rows, and may be another one than that of `query`.
const statements = [
  'create table bench_queued (account_id uuid not null)',
  `create function bench_queued() returns trigger language plpgsql security definer as
     $$ begin insert into bench_queued values (new.account_id); return null; end $$`,
  `create trigger bench_queued after insert on event_queue for each row
     when (new.claim_token is null and new.lane = ${lanes.firstAttempt}) execute function bench_queued()`,
];

/**
 * From now on, counts the events that no process has kept in memory for their first attempt. They wait in the queue until a
 * process claims them.
 *
 * @returns how many there are of these accounts
 */
export async function countQueued({ query }: Stage): Promise<(accounts: readonly Account[]) => Promise<number>> {
  for (const statement of statements) await query(statement);
  return async (accounts) => {
    const ids = accounts.map(({ adminUrl }) => `'${adminUrl.split('/').at(-1)}'`);
    const text = `select count(*)::integer as count from bench_queued where account_id in (${ids.join()})`;
    const [row] = await query<{ count: number }>(text);
    return row?.count ?? 0;
  };
}
