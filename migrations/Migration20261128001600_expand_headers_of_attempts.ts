import { Migration } from '@mikro-orm/migrations';

/** The headers of request and answer. `json`, not `jsonb`: headers keep their order and repetitions. */
export class Migration20261128001600_expand_headers_of_attempts extends Migration {
  override up(): void {
    this.addSql(`
      alter table delivery_attempts add column request_headers json, add column response_headers json;
      comment on column delivery_attempts.request_headers is 'with secrets masked; null: nothing was sent, or not stored';
      comment on column delivery_attempts.response_headers is 'with secrets masked; null: no answer, or not stored';`);
  }
}
