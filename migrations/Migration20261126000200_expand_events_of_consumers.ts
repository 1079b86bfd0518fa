import { Migration } from '@mikro-orm/migrations';

/** What an event has when its account has several consumers. All are null for the event of the only one. */
export class Migration20261126000200_expand_events_of_consumers extends Migration {
  override up(): void {
    this.addSql(`
      alter table events
        add column request_id uuid,
        add column consumer_id uuid,
        add column skipped_reason text,
        add column backfilled_at timestamptz;
      comment on column events.request_id is 'the webhook: the id of its first event, under which its payload is stored; null: this is that event';
      comment on column events.consumer_id is 'null: the consumer default';
      comment on column events.skipped_reason is 'why no consumer gets the webhook; null: one does';
      comment on column events.backfilled_at is 'when the event was made from a webhook that was stored before; null: with the webhook';`);
  }
}
