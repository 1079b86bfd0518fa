import { LRUCache } from 'lru-cache';
import { type Content, storedContent } from '../conditions/content.ts';
import { together } from '../conditions/content-needs.ts';
import type { Sql } from '../database/sql.ts';
import { idRange } from '../events/id-range.ts';
import { readStoredContents } from '../events/stored-contents.ts';
import { needsOf } from './matching.ts';

/** Whether a condition may read the content of events; the language decides exactly (`needsOf`). */
const readContentConditions = {
  name: 'read_content_conditions',
  text: `
    select e.id, d.condition from events e join destinations d on d.account_id = e.account_id
    where e.id = any($1::uuid[]) and e.id between $2 and $3 and d.enabled and 'delivery.failed' = any(d.kinds)
      and d.condition ~ 'payload|header'`,
};

/** Bodies that are parsed ahead for one transaction. Those of usual webhooks fit; the others are read in it. */
const maxBytes = 8 * 1024 * 1024;
/**
 * Contents of events whose deliveries may end in the next transaction. They are read and parsed before it, so that it
 * holds no locks while bodies are parsed. Stored headers and bodies never change.
 */
export class PreparedContents {
  // Two transactions prepare at a time. Contents for one that fails are dropped when later ones need the room.
  readonly #contents = new LRUCache<string, Content>({ maxSize: 2 * maxBytes });

  /** Reads what the conditions of the events' accounts need. Where there are none, it is one cheap statement. */
  async prepare(sql: Sql, eventIds: string[]): Promise<void> {
    const rows = await sql.query<{ id: string; condition: string | null }>(readContentConditions, [
      eventIds,
      ...idRange(eventIds),
    ]);
    const needed = [...Map.groupBy(rows, ({ id }) => id)].filter(
      ([, conditions]) => together(conditions.map(({ condition }) => needsOf(condition))).payload,
    );
    const ids = needed.map(([id]) => id);
    for await (const { eventId, stored } of readStoredContents(sql, ids, { bodies: true, maxBytes })) {
      const size = 1 + (stored.body?.length ?? 0);
      if (size > maxBytes) continue;
      const content = storedContent(stored);
      // Parses the body.
      content.payload([]);
      this.#contents.set(eventId, content, { size });
    }
  }

  /** Takes the content of an event; undefined if it was not prepared. */
  take(eventId: string): Content | undefined {
    const content = this.#contents.get(eventId);
    this.#contents.delete(eventId);
    return content;
  }
}
