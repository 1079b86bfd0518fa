import { IndexesOfEvents } from './indexes-of-events.ts';

/** New entries are added at its right end, and none of its columns changes. */
export class Migration20261128000200_expand_index_of_the_feed extends IndexesOfEvents {
  protected readonly indexes = [
    {
      name: 'events_feed',
      definition: '(stored_xid, id) where rejection_reason is null and skipped_reason is null',
      purpose: 'feed: events in the order in which they were stored',
    },
  ];
}
