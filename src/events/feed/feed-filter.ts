import type { Sql } from '../../database/sql.ts';
import { isId } from '../../http/admin/query-schemas.ts';
import { defaultConsumer } from '../event.ts';

/** Which events a reader gets. Absent: all. */
export interface FeedFilter {
  accountIds?: readonly string[] | undefined;
  /** Also the accounts of these providers, those that are made later included. */
  providers?: { names: readonly string[]; within: readonly string[] | null } | undefined;
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
const ofProviders = (names: string, within: string) =>
  `e.account_id in (select a.id from accounts a where a.provider = any(${names}) and (${within} is null or a.id = any(${within})))`;
const ofConsumers = (name: string) => `e.consumer_id in (select c.id from consumers c where c.name = ${name})`;

/** @param first the number of the condition's first parameter */
export function conditionOf({ accountIds, providers, eventTypes, consumer }: FeedFilter, first: number): FeedCondition {
  const values: unknown[] = [];
  const parameter = (type: string, value: unknown) => `$${first + values.push(value) - 1}::${type}`;
  const accounts = [
    ...(accountIds ? [`e.account_id = any(${parameter('uuid[]', accountIds)})`] : []),
    ...(providers ? [ofProviders(parameter('text[]', providers.names), parameter('uuid[]', providers.within))] : []),
  ];
  const conditions = accounts.length > 0 ? [`(${accounts.join(' or ')})`] : [];
  if (eventTypes) conditions.push(`e.event_type = any(${parameter('text[]', eventTypes)})`);
  if (consumer === defaultConsumer) conditions.push('e.consumer_id is null');
  else if (consumer !== undefined) conditions.push(ofConsumers(parameter('text', consumer)));
  // `null` for an event without a type counts as no match.
  return { sql: conditions.length === 0 ? null : `coalesce(${conditions.join(' and ')}, false)`, values };
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
