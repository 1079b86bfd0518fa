import type { Sql } from '../../database/sql.ts';
import type { FailedTry } from '../retries.ts';

// Times are those of the statement, the same for all rows of a message, so that no later claim takes only some of them.
const postponeOne = {
  name: 'postpone_incident_message',
  text: `
    update incident_messages set attempts = attempts - 1, batch_id = case when attempts > 1 then batch_id end,
      due_at = now() + make_interval(secs => $3)
    where batch_id = $1 and attempts = $2 and status = 'pending'`,
};

/** Gives back a claim without a try, because the destination has no free slot. One that was never tried is open again. */
export async function postponeMessage(
  sql: Sql,
  id: string,
  { attempt, waitMs }: { attempt: number; waitMs: number },
): Promise<void> {
  await sql.query(postponeOne, [id, attempt, waitMs / 1000]);
}

const noteSent = {
  name: 'note_incident_message_sent',
  // Without a check of the claim: the message was sent, even if another process has claimed it since.
  text: `
    update incident_messages set status = 'sent', sent_at = now(), error = null, due_at = null
    where batch_id = $1 and status in ('pending', 'failed')`,
};

/** Records that the destination has accepted the message. */
export async function recordMessageSent(sql: Sql, id: string): Promise<void> {
  await sql.query(noteSent, [id]);
}

const noteFailure = {
  name: 'note_incident_message_failure',
  text: `
    update incident_messages set error = $3, status = case when $4::float8 is null then 'failed' else 'pending' end,
      due_at = now() + make_interval(secs => $4), attempts = attempts - (not $5::boolean)::integer
    where batch_id = $1 and attempts = $2 and status = 'pending'`,
};

/**
 * Records a failed try. Has no effect when a later try has begun since.
 */
export async function recordMessageFailure(sql: Sql, id: string, failure: FailedTry): Promise<void> {
  const waitS = failure.waitMs === null ? null : failure.waitMs / 1000;
  await sql.query(noteFailure, [id, failure.attempt, failure.error, waitS, failure.usesTry]);
}
