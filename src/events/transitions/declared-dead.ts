import type { Sql } from '../../database/sql.ts';
import { failEvent } from './failed.ts';
import { apply, type Operation } from './operation.ts';

/**
 * | what happens | `status` | `delivery_status` |
 * | --- | --- | --- |
 * | `fail` with `dead` | `dead` | `failed` if it was `pending` |
 *
 * Nobody will process the event: attempts stop, and destinations are not notified. Only a replay revives it. The statement is that
 * of failed.ts.
 */
export function declareDead(sql: Sql, eventId: string, error: string | null): Promise<Operation> {
  return apply(sql, failEvent, [eventId, error, true], 'any');
}
