import { Migration } from '@mikro-orm/migrations';

/** What the retention needs: src/retention/. All else that it deletes is found by indexes that exist, or page by page. */
export class Migration20261121000005_retention extends Migration {
  override up(): void {
    this.addSql('create index event_values_day on event_values (day)');
    this.addSql(`comment on index event_values_day is 'retention: the values of a day that goes'`);
  }

  override down(): void {
    this.addSql('drop index event_values_day');
  }
}
