import { log } from '@temporalio/workflow';
import { notify } from './activities.ts';
import type { NotificationRequest } from './messages.ts';

/** The notifications that are being sent, while the workflow continues to handle operators' signals. */
export interface Announcements {
  /** Notifications that are not settled yet. */
  open: readonly NotificationRequest[];
  /** Called once for each exhausted generation, after the row's status was set to `failed`. Sends the notifications. */
  exhausted(event: { generation: number; attempts: number }, requests: readonly NotificationRequest[]): void;
}

/** @param unsettled notifications that an earlier run of this workflow has not settled */
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
      // A failed activity does not affect the other notifications. The sweep finds the pending row in the database.
      notify({ eventId, generation, destinationId }, destinationType).then(done, (error: unknown) => {
        log.warn('a notification could not be asked for', { eventId, destinationId, error: String(error) });
        done();
      });
    }
  };
  fanOut(unsettled);
  return announcements;
}
