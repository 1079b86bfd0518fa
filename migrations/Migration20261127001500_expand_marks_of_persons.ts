import { Migration } from '@mikro-orm/migrations';

/** Tells an event that a person has marked as failed from one whose last attempt failed. */
export class Migration20261127001500_expand_marks_of_persons extends Migration {
  override up(): void {
    this.addSql(`
      alter table events add column failed_by_person boolean;
      comment on column events.failed_by_person is 'true: a person has set the status failed; null: the last failed attempt has, or the status is another one';`);
  }
}
