import { Migration } from '@mikro-orm/migrations';

/** The bulk job that changed an event. */
export class Migration20261127003100_expand_jobs_of_events extends Migration {
  override up(): void {
    this.addSql(`
      alter table events add column bulk_job_id uuid;
      comment on column events.bulk_job_id is 'the last bulk job that has changed or made the event; null: none has';`);
  }
}
