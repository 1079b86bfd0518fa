import type { Sql } from '../../database/sql.ts';
import { failEvent } from './failed.ts';
import { apply, type Operation } from './operation.ts';

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | `fail` with `dead` | `dead` | `failed` if it was `pending` |
 *
 * The consumer will never process the event: attempts stop, and destinations are not notified. Only a replay revives
 * it. The statement is in failed.ts.
 */
export function declareDead(sql: Sql, eventId: string, error: string | null): Promise<Operation> {
  return apply(sql, failEvent, [eventId, error, true], 'any');
}
