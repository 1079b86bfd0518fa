import { Migration } from '@mikro-orm/migrations';

/** The accounts to which the token of an order was limited. A release that does not know them fails a job whose filter has scoped. */
export class Migration20261128000600_expand_scopes_of_bulk_jobs extends Migration {
  override up(): void {
    this.addSql(`
      alter table bulk_jobs add column account_ids uuid[];
      comment on column bulk_jobs.account_ids is 'accounts that the token of the order was limited to; null: all';`);
  }
}
