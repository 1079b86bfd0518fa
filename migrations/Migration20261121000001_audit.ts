import { Migration } from '@mikro-orm/migrations';

export class Migration20261121000001_audit extends Migration {
  override up(): void {}
  override down(): void {}
}
