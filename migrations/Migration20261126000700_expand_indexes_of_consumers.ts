import { IndexesOfEvents } from './indexes-of-events.ts';

/** Both indexes are empty while each account has one consumer. */
export class Migration20261126000700_expand_indexes_of_consumers extends IndexesOfEvents {
  protected readonly indexes = [
    {
      name: 'events_skipped',
      definition: '(id) where skipped_reason is not null',
      purpose: 'list: webhooks that no consumer gets',
    },
    {
      name: 'events_consumer',
      definition: '(consumer_id, id) where consumer_id is not null',
      purpose: 'list: by consumer',
    },
  ];
}
