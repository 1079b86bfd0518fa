import { IndexesOfEvents } from './indexes-of-events.ts';

/** The index has few events: not those that their last attempt has failed. */
export class Migration20261127001600_expand_index_of_marks extends IndexesOfEvents {
  protected readonly indexes = [
    {
      name: 'events_failed_by_person',
      definition: `(id) where state = 'failed' and (failed_by_person or undelivered is null)`,
      purpose: 'list: events that a person has marked as failed',
    },
  ];
}
