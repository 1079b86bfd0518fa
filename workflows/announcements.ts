import { log } from '@temporalio/workflow';
import { notify } from './activities.ts';
import type { NotificationRequest } from './messages.ts';

/** Those who are being told that a delivery is exhausted, while the workflow goes on serving operators. */
export interface Announcements {
  /** Not settled yet. */
  open: readonly NotificationRequest[];
  /** The one place that an exhausted delivery comes through, once a generation: the row says `failed` by now. */
  exhausted(event: { generation: number; attempts: number }, requests: readonly NotificationRequest[]): void;
}

/** @param unsettled what an earlier run of this workflow has left */
export function openAnnouncements(eventId: string, unsettled: readonly NotificationRequest[]): Announcements {
  const announcements = {
    open: [] as NotificationRequest[],
    exhausted(event: { generation: number; attempts: number }, requests: readonly NotificationRequest[]) {
      log.warn('the delivery is exhausted', { eventId, ...event });
      fanOut(requests);
    },
  };
  const fanOut = (requests: readonly NotificationRequest[]) => {
    for (const request of requests) {
      const { generation, destinationId, destinationType } = request;
      announcements.open.push(request);
      const done = () => {
        announcements.open = announcements.open.filter((other) => other !== request);
      };
      // One that cannot even be asked for hinders no other; whatever is left of it the sweep finds in the database.
      notify({ eventId, generation, destinationId }, destinationType).then(done, (error: unknown) => {
        log.warn('a notification could not be asked for', { eventId, destinationId, error: String(error) });
        done();
      });
    }
  };
  fanOut(unsettled);
  return announcements;
}
