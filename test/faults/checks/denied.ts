import { deniedIn } from '../../support/denied.ts';
import type { Postgres } from '../postgres.ts';

/** Entries of single refused calls in a minute, over all processes (docs/admin-api.md). */
const mostInMinute = 60;

/** Wrong tokens do not fill the audit log. */
export async function checkDenied(postgres: Postgres): Promise<string[]> {
  const denied = await deniedIn(postgres);
  if (denied.mostInMinute <= mostInMinute) return [];
  return [
    `refused calls have ${denied.mostInMinute} entries of one minute in the audit log, of at most ${mostInMinute}`,
  ];
}
