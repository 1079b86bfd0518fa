import type { Sql } from '../../database/sql.ts';

/** The consumer of a backfill. */
export interface BackfillTarget {
  accountId: string;
  /** For `default`, the id of the account. */
  consumerId: string;
}

/** What a backfill needs of its consumer at one moment. */
export interface TargetState {
  /** Why it gets no events; null if it gets some. */
  refusal: Refusal | null;
  condition: string | null;
  /** Increased by each change of a consumer of the account. */
  revision: number;
}

/** Why a consumer gets no events of a backfill. */
export type Refusal = 'account_deleted' | 'account_disabled' | 'consumer_deleted' | 'consumer_disabled' | 'no_address';

const selectTarget = `
    select a.deleted_at is not null as "accountDeleted", a.enabled as "accountEnabled",
      (c.id is null and $1::uuid <> $2::uuid) or c.deleted_at is not null as "consumerDeleted",
      coalesce(c.enabled, true) as "consumerEnabled", coalesce(c.url, a.delivery_url, a.project_delivery_url) is not null as "hasAddress",
      c.condition, a.consumers_revision as revision
    from accounts a left join consumers c on c.id = $2 and c.account_id = a.id where a.id = $1`;

const readTargetRow = { name: 'read_backfill_target', text: selectTarget };
const lockTargetRow = { name: 'lock_backfill_target', text: `${selectTarget} for share of a` };

interface Row {
  accountDeleted: boolean;
  accountEnabled: boolean;
  consumerDeleted: boolean;
  consumerEnabled: boolean;
  hasAddress: boolean;
  condition: string | null;
  revision: number;
}

/** The present state of a consumer. */
export async function readTarget(sql: Sql, { accountId, consumerId }: BackfillTarget): Promise<TargetState> {
  const [row] = await sql.query<Row>(readTargetRow, [accountId, consumerId]);
  return toState(row);
}

/**
 * As `readTarget`. No consumer of the account can be changed until the end of the transaction, because each change locks
 * the account.
 */
export async function lockTarget(sql: Sql, { accountId, consumerId }: BackfillTarget): Promise<TargetState> {
  const [row] = await sql.query<Row>(lockTargetRow, [accountId, consumerId]);
  return toState(row);
}

function toState(row: Row | undefined): TargetState {
  if (!row) return { refusal: 'account_deleted', condition: null, revision: -1 };
  return { refusal: refusalOf(row), condition: row.condition, revision: row.revision };
}

function refusalOf(row: Row): Refusal | null {
  if (row.accountDeleted) return 'account_deleted';
  if (row.consumerDeleted) return 'consumer_deleted';
  if (!row.accountEnabled) return 'account_disabled';
  if (!row.consumerEnabled) return 'consumer_disabled';
  return row.hasAddress ? null : 'no_address';
}
