import type { Database } from '../../src/database/database.ts';
import { rows } from './stored.ts';

export interface WrittenEntry {
  actor: string;
  action: string;
  details: Record<string, unknown>;
}

/** The audit entries about one resource, oldest first: those whose details contain its id. */
export async function entriesAbout(database: Database, id: string): Promise<WrittenEntry[]> {
  const found = await rows(
    database,
    `select actor, action, details from audit_logs a
     where exists (select from json_each_text(a.details) d where d.value = $1) order by id`,
    [id],
  );
  return found.map(({ actor, action, details }) => ({ actor, action, details }));
}

/** Like `entriesAbout`, for one action only. */
export async function entriesOf(database: Database, id: string, action: string): Promise<WrittenEntry[]> {
  return (await entriesAbout(database, id)).filter((entry) => entry.action === action);
}
