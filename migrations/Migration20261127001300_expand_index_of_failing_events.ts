import { IndexesOfEvents } from './indexes-of-events.ts';

/**
 * An index of the events that have failed and are not over. The others have no entry in it, so it costs a successful
 * event nothing.
 */
export class Migration20261127001300_expand_index_of_failing_events extends IndexesOfEvents {
  protected readonly indexes = [
    {
      name: 'events_failing',
      definition: `(coalesce(consumer_id, account_id), undelivered, id) include (account_id, consumer_id)
        where retries is not null or (undelivered and state = 'failed')`,
      purpose: 'incidents: the events of a consumer that wait for another attempt, or are exhausted',
    },
  ];
}
