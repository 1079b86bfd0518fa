import { Migration } from '@mikro-orm/migrations';

/** Why a webhook was rejected, in numbers, and which event a check of it has found. */
export class Migration20261128001400_expand_checks_of_rejected_webhooks extends Migration {
  override up(): void {
    this.addSql(`
      alter table events add column rejection_detail text;
      comment on column events.rejection_detail is 'the reason as a sentence with the numbers of this webhook; null: rejection_reason says everything';
      create table rejection_checks (
        rejected_event_id uuid primary key,
        event_id uuid not null,
        made boolean not null,
        checked_at timestamptz not null default now()
      );
      comment on table rejection_checks is 'rejected webhooks that a later check has verified, and the event of each; kept as long as the rejected webhook';
      comment on column rejection_checks.event_id is 'the first event of the webhook';
      comment on column rejection_checks.made is 'whether the check has made the event; false: the same webhook was accepted since';
      create unique index rejection_checks_made on rejection_checks (event_id) where made;
      comment on index rejection_checks_made is 'the page of an event: the rejected webhook that it was made of';`);
  }
}
