import { Migration } from '@mikro-orm/migrations';

/**
 * Says what the indexes and columns are for since an api makes all first attempts. No statement names the index. The locks
 * conflict with those of vacuum and of changes of the schema, but with no read or write.
 */
export class Migration20261130000100_expand_names_of_the_queue extends Migration {
  override up(): void {
    this.addSql(`
      alter index event_queue_turns rename to event_queue_by_consumer;
      comment on index event_queue_by_consumer is 'claims of the lanes 0 and 1, consumer by consumer';
      comment on index event_queue_settled is 'claims of lane 2, oldest first';
      comment on column event_queue.account_id is 'the consumer; that of default has the id of the account';
      comment on column event_queue.direct is 'in lane 1: an api makes the next attempt, and the event has no workflow yet';`);
  }
}
