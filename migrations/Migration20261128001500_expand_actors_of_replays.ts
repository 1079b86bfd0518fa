import { Migration } from '@mikro-orm/migrations';

/** Who has ordered the replay of failed events, for the actions of each event. */
export class Migration20261128001500_expand_actors_of_replays extends Migration {
  override up(): void {
    this.addSql(`
      alter table event_replays add column actor text;
      comment on column event_replays.actor is 'the name of the token; null: the release before has noted it';`);
  }
}
