import type { Sql } from '../database/sql.ts';
import type { TokenScope } from '../http/admin/scope.ts';
import { Problem } from '../http/problem.ts';
import { isId } from '../shared/is-id.ts';

const readAccounts = {
  name: 'read_accounts_of_scope',
  // Deleted ones, too: their events stay readable. Sorted, because a repeated order is known by its accounts.
  text: 'select id from accounts where app_key = $1 order by id',
};

/** The accounts in a scope, deleted ones included. */
export async function accountsOf(sql: Sql, scope: TokenScope): Promise<string[]> {
  if ('account_id' in scope) return [scope.account_id];
  return (await sql.query<{ id: string }>(readAccounts, [scope.app_key])).map(({ id }) => id);
}

/**
 * A condition in SQL: whether a job is a backfill of one of some accounts, or was ordered for some of them only. That of a token that had no
 * account is shown only to tokens without a scope: an empty list is contained in every list.
 */
export const isJobWithin = (accountIds: string) =>
  `(account_id = any(${accountIds}::uuid[]) or (account_ids <@ ${accountIds}::uuid[] and account_ids <> '{}'))`;

const findEvent = { name: '', text: 'select from events where id = $1 and account_id = any($2::uuid[])' };
const findIncident = { name: '', text: 'select from incidents where id = $1 and account_id = any($2::uuid[])' };
const findJob = { name: '', text: `select from bulk_jobs where id = $1 and ${isJobWithin('$2')}` };

/** The ids that belong to an account: how its row is found among those of some accounts, and what an unknown one is told. */
const owned: Record<string, { statement: typeof findEvent | null; unknown: string }> = {
  account_id: { statement: null, unknown: 'there is no account with this id' },
  event_id: { statement: findEvent, unknown: 'there is no event with this id' },
  rejected_id: { statement: findEvent, unknown: 'there is no event with this id' },
  incident_id: { statement: findIncident, unknown: 'there is no incident with this id' },
  job_id: { statement: findJob, unknown: 'there is no bulk job with this id' },
};

/**
 * Checks that ids belong to one of these accounts, each by its name in paths, such as `event_id`. Other names, and texts that
 * are no ids, are left to the operation.
 *
 * @throws Problem `not_found`, the same as for an id that does not exist
 */
export async function requireWithin(
  sql: Sql,
  accountIds: readonly string[],
  ids: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, id] of Object.entries(ids)) {
    const kind = owned[name];
    if (!kind || !isId(id)) continue;
    const wanted = id.toLowerCase();
    const isWithin = kind.statement
      ? (await sql.query(kind.statement, [wanted, accountIds])).length > 0
      : accountIds.includes(wanted);
    if (!isWithin) throw new Problem('not_found', kind.unknown);
  }
}
