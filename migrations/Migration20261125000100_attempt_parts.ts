import { Migration } from '@mikro-orm/migrations';

/**
 * The parts of an attempt, for a picture of what took its time. Columns without a default change the catalog only, and
 * are null in the rows of release 0.2.0.
 */
export class Migration20261125000100_attempt_parts extends Migration {
  static readonly kind = 'expand';
  static readonly oldestRelease = '0.2.0';

  override up(): void {
    this.addSql(`
      alter table delivery_attempts add column waited_ms double precision, add column connect_ms double precision,
        add column answer_ms double precision`);
    for (const [column, meaning] of Object.entries(columns))
      this.addSql(`comment on column delivery_attempts.${column} is '${meaning}'`);
  }
}

const columns = {
  waited_ms: 'from when the attempt was due until started_at; null: a manual attempt, or one of release 0.2.0',
  connect_ms: 'from started_at until the request could be sent: DNS, TCP and TLS; null: no connection',
  answer_ms: 'from then until the head of the answer; null: no answer',
};
