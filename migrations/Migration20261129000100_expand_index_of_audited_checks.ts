import { Migration } from '@mikro-orm/migrations';

/** The index has the entries of checks alone, which name the rejected webhook and the event that was made of it. */
export class Migration20261129000100_expand_index_of_audited_checks extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // An interrupted build leaves an invalid index.
    this.addSql('drop index concurrently if exists audit_logs_rejected');
    this.addSql(
      `create index concurrently audit_logs_rejected on audit_logs ((details ->> 'rejected_id'), id) where details ->> 'rejected_id' is not null`,
    );
    this.addSql(`comment on index audit_logs_rejected is 'list of entries about a rejected webhook, newest first'`);
  }
}
