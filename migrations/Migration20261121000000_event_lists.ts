import { Migration } from '@mikro-orm/migrations';

export class Migration20261121000000_event_lists extends Migration {
  override up(): void {}
  override down(): void {}
}
