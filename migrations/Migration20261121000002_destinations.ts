import { Migration } from '@mikro-orm/migrations';

export class Migration20261121000002_destinations extends Migration {
  override up(): void {}
  override down(): void {}
}
