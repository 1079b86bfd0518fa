import { Migration } from '@mikro-orm/migrations';

/** A worker of the release before folds failed attempts away without counting them: until it ends, the series has too few. */
export class Migration20261127004100_expand_series_of_failed_attempts extends Migration {
  override up(): void {
    this.addSql('alter table event_series add column failed_attempts integer not null default 0');
  }
}
