import { z } from 'zod';
import type { EventRow } from '../event.ts';
import { type EventFilters, equalityFilters, eventFilters } from '../event-filters.ts';
import { eventState } from '../event-state.ts';

export const streamQuery = z.strictObject(eventFilters);

/** Whether an event matches the filters whose columns never change. */
export const mayMatch = (event: EventRow, filter: EventFilters): boolean =>
  equalityFilters.every((name) => filter[name] === undefined || event[name] === filter[name]) &&
  (filter.consumer === undefined || event.consumer === filter.consumer) &&
  (filter.skipped === undefined || (event.skipped_reason !== null) === filter.skipped) &&
  (filter.since === undefined || event.received_at > filter.since) &&
  (filter.until === undefined || event.received_at < filter.until);

/** Whether an event matches the filters whose columns change. */
export const matchesState = (event: EventRow, filter: EventFilters): boolean => {
  const { state, status, delivery_status, job, response_code } = filter;
  return (
    (state === undefined || eventState(event) === state) &&
    (status === undefined || event.status === status) &&
    (delivery_status === undefined || event.delivery_status === delivery_status) &&
    (job === undefined || event.bulk_job_id === job) &&
    (response_code === undefined || event.response_code === response_code)
  );
};

/** Whether an event can leave the list of this filter when it changes. */
export const dependsOnState = ({ state, status, delivery_status, job, response_code }: EventFilters): boolean =>
  [state, status, delivery_status, job, response_code].some((value) => value !== undefined);
