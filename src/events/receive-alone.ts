import type { Sql } from '../database/sql.ts';
import { columns } from './received-columns.ts';
import {
  type ReceivedRow,
  type ReceivedWebhook,
  receiveEvents,
  receiveEventsWithSiblings,
} from './transitions/received.ts';

/**
 * Stores one webhook in the transaction of its caller. Its events wait in the queue, from which an api claims them after
 * the commit.
 *
 * @returns `refused`: the account was deleted or disabled, or its consumers were changed, after they were read.
 */
export async function receiveAlone(sql: Sql, webhook: ReceivedWebhook): Promise<'stored' | 'duplicate' | 'refused'> {
  const { id, consumerId, siblings, skippedReason } = webhook;
  const events = skippedReason === null ? [{ id, consumerId }, ...siblings] : [];
  const deliveries = events.map((event) => ({ ...event, place: null }));
  const { values, ofSiblings } = columns([{ webhook, deliveries }]);
  const rows = await (ofSiblings === null
    ? sql.query<ReceivedRow>(receiveEvents, values)
    : sql.query<ReceivedRow>(receiveEventsWithSiblings, [...values, ...ofSiblings]));
  const row = rows.find((one) => one.id === id);
  if (!row) throw new Error('the statement that stores a webhook answered without its row');
  if (!row.live) return 'refused';
  return row.accepted ? 'stored' : 'duplicate';
}
