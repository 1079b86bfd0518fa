import { Migration } from '@mikro-orm/migrations';

/** Jobs that make events of webhooks that were stored before. */
export class Migration20261126000600_expand_backfills extends Migration {
  override up(): void {
    this.addSql(`
      alter table bulk_jobs
        drop constraint bulk_jobs_action_check,
        add constraint bulk_jobs_action_check check (action in ('replay', 'retry', 'ack', 'dead', 'backfill')) not valid,
        add column account_id uuid,
        add column consumer_id uuid,
        add column consumer text,
        add column condition text,
        add column per_second integer;
      comment on column bulk_jobs.account_id is 'for backfill: whose stored webhooks are looked at';
      comment on column bulk_jobs.consumer_id is 'for backfill: who gets the events; the id of the account for default';
      comment on column bulk_jobs.consumer is 'for backfill: the name of the consumer when the job was ordered';
      comment on column bulk_jobs.condition is 'for backfill: what the webhooks must meet besides the condition of the consumer';
      comment on column bulk_jobs.per_second is 'for backfill: the most events made in a second';`);
  }
}
