import { Migration } from '@mikro-orm/migrations';

/** Finds the audit entries about one event. Entries without an event, such as those of lists, are not in the index. */
export class Migration20261125000400_audit_events extends Migration {
  static readonly kind = 'expand';
  static readonly oldestRelease = '0.2.0';

  override up(): void {
    // Concurrently, because each admin call writes to this table. An interrupted build leaves an invalid index.
    this.addSql('drop index concurrently if exists audit_logs_event');
    this.addSql(
      "create index concurrently audit_logs_event on audit_logs ((details ->> 'event_id'), id) where details ->> 'event_id' is not null",
    );
    this.addSql("comment on index audit_logs_event is 'list of entries about an event, newest first'");
  }

  override isTransactional(): boolean {
    return false;
  }
}
