import type { Sql } from '../../database/sql.ts';
import type { MessageStore } from './due-messages.ts';

/**
 * The statements that record what became of a try. `now()` is the same for all rows of a message, so that no later claim
 * takes only some of them.
 *
 * @param key the column of the message's id
 * @param reopened what else is set when a claim is given back without a try
 */
const statementsOf = (table: string, key: string, reopened = '') => ({
  postpone: {
    name: `postpone_${table}`,
    text: `
      update ${table} set attempts = attempts - 1, due_at = now() + make_interval(secs => $3)${reopened}
      where ${key} = $1 and attempts = $2 and status = 'pending'`,
  },
  sent: {
    name: `note_sent_${table}`,
    // Without a check of the claim: the message was sent, even if another process has claimed it since.
    text: `
      update ${table} set status = 'sent', sent_at = now(), error = null, due_at = null
      where ${key} = $1 and status in ('pending', 'failed')`,
  },
  failed: {
    name: `note_failed_${table}`,
    text: `
      update ${table} set error = $3, status = case when $4::float8 is null then 'failed' else 'pending' end,
        due_at = now() + make_interval(secs => $4), attempts = attempts - (not $5::boolean)::integer
      where ${key} = $1 and attempts = $2 and status = 'pending'`,
  },
});

const statements = {
  // A summary without a try accepts events again.
  notification_summaries: statementsOf('notification_summaries', 'id'),
  // A message that was never tried is open again.
  incident_messages: statementsOf(
    'incident_messages',
    'batch_id',
    ', batch_id = case when attempts > 1 then batch_id end',
  ),
};

/** Records what became of the tries of messages in a table. A failed try has no effect when a later one has begun since. */
export function outcomesIn(
  sql: Sql,
  table: keyof typeof statements,
): Pick<MessageStore<never>, 'postpone' | 'sent' | 'failed'> {
  const { postpone, sent, failed } = statements[table];
  return {
    async postpone(id, { attempt, waitMs }) {
      await sql.query(postpone, [id, attempt, waitMs / 1000]);
    },
    async sent(id) {
      await sql.query(sent, [id]);
    },
    async failed(id, { attempt, error, waitMs, usesTry }) {
      await sql.query(failed, [id, attempt, error, waitMs === null ? null : waitMs / 1000, usesTry]);
    },
  };
}
