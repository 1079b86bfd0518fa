import { Migration } from '@mikro-orm/migrations';

/** Bulk jobs that change events at a pace. */
export class Migration20261127003000_expand_paces_of_bulk_jobs extends Migration {
  override up(): void {
    this.addSql(`
      alter table bulk_jobs
        add column paced_batch_at timestamptz,
        add column first_event uuid;
      comment on column bulk_jobs.per_second is 'the most events changed or made in a second; null: as many as the workers can';
      comment on column bulk_jobs.paced_batch_at is 'with per_second: when the next batch is due; next_batch_at is infinity then, so that a worker of a release that knows no pace leaves the job alone';
      comment on column bulk_jobs.first_event is 'the lowest event of all batches; null: there was no batch yet';`);
  }
}
