import { queryOptions, useQuery } from '@tanstack/react-query';
import { isId } from '../../../../shared/is-id.ts';
import { answer, api } from '../../api/client.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { EventDetails } from '../../api/types.ts';

/** While attempts are due, and afterwards, when only an operator or a resent webhook changes the event. */
const [pendingMs, endedMs] = [1_000, 5_000];
/** Each answer has the whole payload, so a large one is read less often. */
const [largeBytes, largeMs] = [100_000, 15_000];

const noEvent = new ApiProblem({ status: 404, title: 'Not found', detail: 'there is no event with this id' });

export const eventKey = (id: string) => ['event', id];

const isChanging = ({ delivery_status, notifications }: EventDetails) =>
  delivery_status === 'pending' || notifications.some(({ status }) => status === 'pending');

/** One event with payload, attempts and notifications. */
export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: eventKey(id),
    queryFn: ({ signal }) => {
      // Other words in this place are other routes of the API, such as `filters`.
      if (!isId(id)) throw noEvent;
      return answer(api.events({ event_id: id }).get({ query: {}, fetch: { signal } }));
    },
  });

/** The same, renewed while the page is open. */
export const useEvent = (id: string) =>
  useQuery({
    ...eventQuery(id),
    refetchInterval: ({ state: { data } }) => {
      if (data && isChanging(data)) return pendingMs;
      return data && data.payload_bytes > largeBytes ? largeMs : endedMs;
    },
  });

export type OperatorAction = EventDetails['actions'][number];
export type PauseMet = EventDetails['pauses'][number];
export type Attempt = EventDetails['delivery_history'][number];
export type Notification = EventDetails['notifications'][number];
