import type { DestinationType } from '../destinations/destination-config.ts';

const notificationStatuses = ['pending', 'sent', 'failed', 'suppressed'] as const;
/** `suppressed`: folded into a summary. */
export type NotificationStatus = (typeof notificationStatuses)[number];

/** The name under which a destination is told of something once. */
export interface NotificationKey {
  eventId: string;
  generation: number;
  destinationId: string;
}

/** A notification and what kind of destination it is for. */
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
