import { Migration } from '@mikro-orm/migrations';

/** An index of the table `events`. */
interface IndexOfEvents {
  name: string;
  /** Its columns, and the condition of a partial index. */
  definition: string;
  /** What uses it: the comment of the index. */
  purpose: string;
}

/**
 * A migration that builds indexes of events. Each day's partition gets its part without a lock. After an interruption,
 * the next run builds what is missing. `up` finds the partitions before any of its statements runs, so it is run until it
 * finds none without a part (src/database/apply-later.ts). Migrations that were released use it: it may be corrected, but
 * it has to go on making the same indexes.
 */
export abstract class IndexesOfEvents extends Migration {
  protected abstract readonly indexes: readonly IndexOfEvents[];

  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    for (const { name, definition, purpose } of this.indexes) {
      // On the table alone first, so that a partition that is attached from then on gets its part.
      this.addSql(`create index if not exists ${name} on only events ${definition}`);
      this.addSql(`comment on index ${name} is '${purpose}'`);
      for (const partition of await this.#partitionsWithout(name)) {
        const part = `${partition}_${name}`;
        this.addSql(`drop index concurrently if exists ${part}`);
        this.addSql(`create index concurrently ${part} on ${partition} ${definition}`);
        this.addSql(`alter index ${name} attach partition ${part}`);
      }
    }
  }

  async #partitionsWithout(index: string): Promise<string[]> {
    const rows = await this.execute(`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'events'::regclass and not exists (
        select from pg_index x join pg_inherits part on part.inhrelid = x.indexrelid
        where x.indrelid = c.oid and part.inhparent = to_regclass('${index}')
      ) order by 1`);
    return rows.map(({ name }) => String(name));
  }
}
