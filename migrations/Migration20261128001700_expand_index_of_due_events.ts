import { IndexesOfEvents } from './indexes-of-events.ts';

/** Only events with a failed attempt have entries in it, and those whose first attempt a workflow makes. */
export class Migration20261128001700_expand_index_of_due_events extends IndexesOfEvents {
  protected readonly indexes = [
    {
      name: 'events_due_of_consumer',
      definition: '(coalesce(consumer_id, account_id), id) where due_at is not null',
      purpose: 'deletion of an account or a consumer: its events that wait for an attempt',
    },
  ];

  override async up(): Promise<void> {
    await super.up();
    this.addSql(`comment on index events_due is 'sweep: overdue events'`);
  }
}
