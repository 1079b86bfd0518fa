import { Migration } from '@mikro-orm/migrations';

const indexes = [
  {
    ...{ name: 'events_skipped', columns: '(id)', condition: 'skipped_reason is not null' },
    purpose: 'list: webhooks that no consumer gets',
  },
  {
    ...{ name: 'events_consumer', columns: '(consumer_id, id)', condition: 'consumer_id is not null' },
    purpose: 'list: by consumer',
  },
];

/**
 * Both indexes are empty while each account has one consumer. Each day's partition gets its part without a lock. After an
 * interruption, the next run builds what is missing.
 */
export class Migration20261126000700_expand_indexes_of_consumers extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    for (const { name, columns, condition, purpose } of indexes) {
      // On the table alone first, so that a partition that is attached meanwhile gets its part.
      this.addSql(`create index if not exists ${name} on only events ${columns} where ${condition}`);
      this.addSql(`comment on index ${name} is '${purpose}'`);
      for (const partition of await this.#partitionsWithout(name)) {
        const part = `${partition}_${name}`;
        this.addSql(`drop index concurrently if exists ${part}`);
        this.addSql(`create index concurrently ${part} on ${partition} ${columns} where ${condition}`);
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
