import { DatabaseSync } from 'node:sqlite';
import type { Fields } from './events.ts';

/** The database of a small shop, with the ids of the events that it has processed. */
export class Shop {
  readonly #database: DatabaseSync;

  /** @param path of the file; it is created if there is none */
  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(`
      pragma journal_mode = wal;
      create table if not exists processed_events (id text primary key);
      create table if not exists orders (id text primary key, paid integer not null default 0);
    `);
  }

  /**
   * Processes an event once: its id and its work are committed together, or neither is. So an event whose work failed is
   * processed by the next attempt, and one that comes again after a lost answer is not.
   *
   * @throws Error if the work failed
   */
  processOnce(eventId: string, event: Fields): void {
    this.#database.exec('begin immediate');
    try {
      const inserted = this.#database
        .prepare('insert into processed_events (id) values (?) on conflict do nothing')
        .run(eventId);
      if (inserted.changes === 1) this.#process(event);
      this.#database.exec('commit');
    } catch (error) {
      this.#database.exec('rollback');
      throw error;
    }
  }

  /** Your work. Decide by fields of the body, which is signed; of the headers only `webhook-id` and `webhook-timestamp` are. */
  #process(event: Fields): void {
    if (event.type === 'order.created') {
      this.#database.prepare('insert into orders (id) values (?) on conflict do nothing').run(String(event.order));
    } else if (event.type === 'order.paid') {
      const updated = this.#database
        .prepare('update orders set paid = paid + ? where id = ?')
        .run(Number(event.amount), String(event.order));
      // Events come in any order: the next attempt may find the order.
      if (updated.changes === 0) throw new Error(`there is no order ${event.order} yet`);
    }
    // An event of another type, such as a test delivery, needs no work.
  }
}
