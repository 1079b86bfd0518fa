import type { z } from 'zod';
import type { Sql } from '../database/sql.ts';
import { uuidFloor } from '../database/uuid-time.ts';
import type { AuditAction } from '../http/admin/actions.ts';
import type { auditEntry } from './audit-schemas.ts';

/** An entry in the form of the API. */
export type AuditRow = Omit<z.infer<typeof auditEntry>, 'timestamp'> & { timestamp: Date };

export interface AuditFilter {
  actor?: string | undefined;
  action?: string | undefined;
  ip_address?: string | undefined;
  /** Only entries about the event or rejected webhook with this id, in lower case. */
  event_id?: string | undefined;
  /** Whether calls without a valid token, and their summaries, are left out. */
  withoutWrongTokens?: boolean | undefined;
  /** Entries with these actions are left out. */
  without?: readonly AuditAction[] | undefined;
  /** Only entries older than this time. */
  until?: Date | undefined;
  /** Only entries newer than this time. */
  since?: Date | undefined;
  /** The id of an entry: only older entries, which follow it in the list. */
  before?: string | undefined;
  limit: number;
}

/** The first time that does not fit into a UUIDv7, in milliseconds since 1970. */
const endOfTimeMs = 2 ** 48;

/**
 * Lists entries, newest first. Ids begin with the time, so `since`, `until` and `before` are bounds of the id, and every
 * other filter but `without` and `withoutWrongTokens` has an index in the order of the list. `before` must be a UUID.
 */
export async function listAuditLogs(sql: Sql, filter: AuditFilter): Promise<AuditRow[]> {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const add = (condition: string, value: unknown) => {
    values.push(value);
    conditions.push(`${condition} $${values.length}`);
  };
  if (filter.actor !== undefined) add('actor =', filter.actor);
  if (filter.action !== undefined) add('action =', filter.action);
  if (filter.ip_address !== undefined) add('ip_address =', filter.ip_address);
  if (filter.without !== undefined) {
    values.push(filter.without);
    conditions.push(`action <> all($${values.length})`);
  }
  // A refusal by role has a valid token.
  if (filter.withoutWrongTokens) conditions.push(`(action <> 'auth.denied' or details ->> 'status' = '403')`);
  if (filter.until !== undefined && filter.until.getTime() < endOfTimeMs)
    add('id <', uuidFloor(new Date(Math.max(0, filter.until.getTime()))));
  if (filter.since !== undefined) {
    const firstMs = Math.max(0, filter.since.getTime() + 1);
    if (firstMs >= endOfTimeMs) return [];
    add('id >=', uuidFloor(new Date(firstMs)));
  }
  if (filter.before !== undefined) add('id <', filter.before);
  values.push(filter.limit);
  const newest = `order by id desc limit $${values.length}`;
  const page = (all: readonly string[]) => `
    select id, actor, action, ip_address, created_at as timestamp, details from audit_logs
    ${all.length > 0 ? `where ${all.join(' and ')}` : ''} ${newest}`;
  let text = page(conditions);
  if (filter.event_id !== undefined) {
    values.push(filter.event_id);
    // A check of a rejected webhook names that and the event that was made of it. They differ, so no entry is in both
    // parts, each of which reads an index of its own.
    const about = ['event_id', 'rejected_id'].map((name) => `details ->> '${name}' = $${values.length}`);
    text = `${about.map((one) => `(${page([one, ...conditions])})`).join(' union all ')} ${newest}`;
  }
  // Not a prepared statement, so that it is planned for the given filters.
  return sql.query<AuditRow>({ name: '', text }, values);
}
