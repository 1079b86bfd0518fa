import type { Sql } from '../../database/sql.ts';
import { idRange } from '../id-range.ts';

/** The shown part of an answer, in characters: a line of a list. */
const shownCharacters = 200;

const readLastAnswers = {
  name: '',
  // Of a body, PostgreSQL reads what it stored out of line only for the last attempt of each event.
  text: `
    select e.id, d.outcome, d.started_at,
      left(regexp_substr(left(d.response_body, ${4 * shownCharacters}), '[^\\s][^\\r\\n]*'), ${shownCharacters}) as line
    from unnest($1::uuid[]) as e (id) cross join lateral (
      select outcome, started_at, response_body from delivery_attempts d
      where d.event_id = e.id and d.event_id between $2 and $3
        and ($4::uuid[] is null or exists (select from events w where w.id = e.id and w.id between $2 and $3 and w.account_id = any($4)))
      order by d.started_at desc limit 1
    ) d`,
};

/** How the last attempt of an event was answered. */
export interface LastAnswer {
  id: string;
  outcome: string;
  started_at: Date;
  /** The first line of the body that is not empty; null: there is none. */
  line: string | null;
}

/**
 * Reads the last answers of some events; those without an attempt are left out.
 *
 * @param accountIds the accounts whose events are read; null: all
 */
export async function lastAnswers(
  sql: Sql,
  ids: readonly string[],
  accountIds: readonly string[] | null,
): Promise<LastAnswer[]> {
  if (ids.length === 0) return [];
  return sql.query<LastAnswer>(readLastAnswers, [ids, ...idRange(ids), accountIds]);
}
