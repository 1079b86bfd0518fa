import type { DestinationType } from './destinations/destination-config.ts';

const notificationStatuses = ['pending', 'sent', 'failed', 'suppressed'] as const;
/** `suppressed`: folded into a summary. */
export type NotificationStatus = (typeof notificationStatuses)[number];

/** The key of a notification: one message to a destination about one generation of an event. */
export interface NotificationKey {
  eventId: string;
  generation: number;
  destinationId: string;
}

/** A notification's key and the type of its destination. */
export interface NotificationRef extends NotificationKey {
  destinationType: DestinationType;
}

/** An enabled destination of an account with exhausted events. */
export interface ToldDestination {
  id: string;
  account_id: string;
  destination_type: DestinationType;
  name: string;
  config: Buffer;
  condition: string | null;
}
