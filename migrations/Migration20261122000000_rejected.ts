import { Migration } from '@mikro-orm/migrations';

/** Bounds what is kept of rejected webhooks: the beginning of each, and a number of bytes a day. */
export class Migration20261122000000_rejected extends Migration {
  override up(): void {
    this.addSql(`
      alter table event_payloads
        add column payload_bytes integer,
        add column payload_sha256 bytea,
        add column headers_truncated boolean`);
    const comments = {
      payload_bytes:
        'rejected webhooks: the length of the whole body, of which body holds the beginning; null: body is whole',
      payload_sha256: 'rejected webhooks: SHA-256 of the whole body; null: body is whole',
      headers_truncated: 'rejected webhooks: whether headers were left out; null: they are all there',
    };
    for (const [column, comment] of Object.entries(comments))
      this.addSql(`comment on column event_payloads.${column} is '${comment}'`);

    this.addSql(`
      create table rejection_days (
        day date not null,
        account_id uuid not null,
        seen bigint not null,
        bytes bigint not null,
        primary key (day, account_id)
      )`);
    this.addSql(
      `comment on table rejection_days is 'rejected webhooks an account and day (UTC); with the nil UUID, of all accounts'`,
    );
    this.addSql(
      `comment on column rejection_days.bytes is 'of those that the limits before this one let pass: beyond the daily limit nothing is kept'`,
    );
    this.addSql(
      `comment on table rejection_counts is 'rejected webhooks an account and minute; at most the first 60 of them have rows in events'`,
    );
  }

  override down(): void {
    this.addSql('drop table rejection_days');
    this.addSql(
      'alter table event_payloads drop column payload_bytes, drop column payload_sha256, drop column headers_truncated',
    );
  }
}
