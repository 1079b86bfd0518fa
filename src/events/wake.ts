import type { Sql } from '../database/sql.ts';
import { channels } from './event.ts';

const wake = {
  name: 'wake_relays',
  text: `select pg_notify('${channels.queue}', id::text) from unnest($1::uuid[]) as given (id)`,
};

/**
 * Announces with the commit that waiting events of these consumers may be sent: they were resumed or enabled. All
 * processes then look at the queue at once.
 *
 * @param consumerIds for `default`, the id of the account.
 */
export async function wakeRelays(sql: Sql, consumerIds: readonly string[]): Promise<void> {
  await sql.query(wake, [consumerIds]);
}
