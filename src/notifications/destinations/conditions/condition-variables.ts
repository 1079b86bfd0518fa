import type { Sql } from '../../../database/sql.ts';
import { consumerName } from '../../../events/event.ts';
import type { DestinationVariables } from '../destination-condition.ts';

const readVariables = {
  name: 'read_condition_variables',
  // A rejected event has no delivery status, so delivery_failed is false.
  text: `
    select delivery_status is not distinct from 'failed' as delivery_failed, provider, event_type, account_slug, app_key,
      ${consumerName} as consumer, attempts, response_code
    from events e where id = $1`,
};

/** Reads the current variables of an event for conditions; null when there is no such event. */
export async function readConditionVariables(sql: Sql, eventId: string): Promise<DestinationVariables | null> {
  const [row] = await sql.query<DestinationVariables>(readVariables, [eventId]);
  return row ?? null;
}
