import { IndexesOfEvents } from './indexes-of-events.ts';

/** The index has only events that a bulk job has changed. */
export class Migration20261127003200_expand_index_of_jobs extends IndexesOfEvents {
  protected readonly indexes = [
    {
      name: 'events_bulk_job',
      definition: '(bulk_job_id, id) where bulk_job_id is not null',
      purpose: 'list and results: by bulk job',
    },
  ];
}
