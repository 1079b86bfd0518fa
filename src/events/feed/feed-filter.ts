import type { Sql } from '../../database/sql.ts';
import type { TokenScope } from '../../http/admin/scope.ts';
import { isId } from '../../shared/is-id.ts';
import { defaultConsumer } from '../event.ts';

/** Which events a reader gets. Absent: all. */
export interface FeedFilter {
  accountIds?: readonly string[] | undefined;
  /** Also the accounts of these providers, those that are made later included. */
  providers?: readonly string[] | undefined;
  /** Only accounts within it, those that are made later included. */
  scope?: TokenScope | null;
  /** The name of a consumer. */
  consumer?: string | undefined;
  eventTypes?: readonly string[] | undefined;
}

/** A filter as an SQL condition on the event `e`. */
export interface FeedCondition {
  /** Null: all events match. */
  sql: string | null;
  values: unknown[];
}

/** Accounts and consumers are looked up by each statement, because they may be made while a reader waits. */
const ofProviders = (names: string) => `e.account_id in (select a.id from accounts a where a.provider = any(${names}))`;
const ofApp = (key: string) => `e.account_id in (select a.id from accounts a where a.app_key = ${key})`;
const ofConsumers = (name: string) => `e.consumer_id in (select c.id from consumers c where c.name = ${name})`;

/** @param first the number of the condition's first parameter */
export function conditionOf(filter: FeedFilter, first: number): FeedCondition {
  const { accountIds, providers, scope, eventTypes, consumer } = filter;
  const values: unknown[] = [];
  const parameter = (type: string, value: unknown) => `$${first + values.push(value) - 1}::${type}`;
  const accounts = [
    ...(accountIds ? [`e.account_id = any(${parameter('uuid[]', accountIds)})`] : []),
    ...(providers ? [ofProviders(parameter('text[]', providers))] : []),
  ];
  const conditions = accounts.length > 0 ? [`(${accounts.join(' or ')})`] : [];
  if (scope)
    conditions.push(
      'app_key' in scope
        ? ofApp(parameter('text', scope.app_key))
        : `e.account_id = ${parameter('uuid', scope.account_id)}`,
    );
  if (eventTypes) conditions.push(`e.event_type = any(${parameter('text[]', eventTypes)})`);
  if (consumer === defaultConsumer) conditions.push('e.consumer_id is null');
  else if (consumer !== undefined) conditions.push(ofConsumers(parameter('text', consumer)));
  // `null` for an event without a type counts as no match.
  return { sql: conditions.length === 0 ? null : `coalesce(${conditions.join(' and ')}, false)`, values };
}

/** The accounts whose events may match; undefined: others may be made while a reader waits. */
export function accountsOf({ accountIds, providers, scope }: FeedFilter): readonly string[] | undefined {
  if (scope && 'account_id' in scope) return [scope.account_id];
  return providers ? undefined : accountIds;
}

const readAccounts = {
  name: 'read_accounts_of_feed',
  text: `
    select g.given, coalesce(
      (select a.id from accounts a where a.id = g.id and ($5::uuid[] is null or a.id = any($5))),
      (select a.id from accounts a where a.provider = g.provider and a.account_slug = g.slug and a.deleted_at is null
         and ($5::uuid[] is null or a.id = any($5)))
    ) as id
    from unnest($1::text[], $2::uuid[], $3::text[], $4::text[]) as g (given, id, provider, slug)`,
};

/**
 * The ids of accounts that clients name by `provider/slug` or an id. The events of a deleted account are found by its id.
 *
 * @param within the ids that may be found; null: all
 * @returns the first one that does not exist as `unknown`.
 */
export async function accountIdsOf(
  sql: Sql,
  given: readonly string[],
  within: readonly string[] | null,
): Promise<{ ids: string[]; unknown: string | null }> {
  const names = given.map((name) => (isId(name) ? [name, null, null] : [null, ...name.split(/\/(.*)/s, 2)]));
  const column = (n: number) => names.map((parts) => parts[n] ?? null);
  const rows = await sql.query<{ given: string; id: string | null }>(readAccounts, [
    given,
    column(0),
    column(1),
    column(2),
    within,
  ]);
  return {
    ids: rows.flatMap(({ id }) => (id === null ? [] : [id])),
    unknown: rows.find(({ id }) => id === null)?.given ?? null,
  };
}
