import { Migration } from '@mikro-orm/migrations';

/**
 * The span of the webhook, to which the spans of its attempts link, also hours later in another process.
 *
 * It is a column of `event_payloads`, whose rows are written once and which each attempt reads. A row of `events` is
 * rewritten at each change of its state, and would copy these 55 bytes each time. A new column without a default changes
 * the catalog only, and is null in the rows of other versions.
 */
export class Migration20261124000200_traces extends Migration {
  static readonly kind = 'expand';
  static readonly oldestRelease = '0.2.0';

  override up(): void {
    this.addSql('alter table event_payloads add column traceparent text');
    this.addSql(
      `comment on column event_payloads.traceparent is 'the span of the webhook, as in the W3C header; null: received while tracing was off'`,
    );
  }
}
