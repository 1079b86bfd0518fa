import { oncePer } from '../../shared/once-per.ts';
import type { EventRow } from '../event.ts';
import { eventItem } from '../event-view.ts';

/** The messages of a stream besides `event`, with their data. */
export interface StreamMessages {
  /** First. `resumed: false`: what happened before is not reported, so the client loads the list now. */
  ready: { resumed: boolean };
  /** Events may have changed that are not reported: the client loads the list again. */
  reset: { reason: 'bulk_operation' | 'backlog' | 'database_changed' };
  /** An event that this stream has reported no longer matches `state`, `status` or `delivery_status`. */
  unmatched: { id: string };
  /** So many new or changed events were not reported, because there were too many at a time. */
  left_out: { events: number };
  /** Last. The client was too slow; it may resume. */
  dropped: { reason: 'slow_reader' };
  /** Last. The gateway stops, and the client connects again; or the token is not valid any more. */
  end: { reason: 'shutdown' | 'token_ended' };
}

/** A message in the format of server-sent events. JSON has no line breaks. */
export const message = <Name extends keyof StreamMessages>(name: Name, data: StreamMessages[Name]): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * The present state of an event, as the list has it. All streams share the message: without this, 32 of them keep the
 * event loop busy for 0.2 s in a burst.
 */
export const eventMessage = oncePer((event: EventRow) => `event: event\ndata: ${JSON.stringify(eventItem(event))}\n\n`);

/** The present state of an incident, as JSON. */
export const incidentMessage = (json: string): string => `event: incident\ndata: ${json}\n\n`;

/** Sets the id from which a client resumes. It has no data, so clients report no message. */
export const idOf = (position: string): string => `id: ${position}\n\n`;

/** The delay after which browsers connect again; a process that is replaced needs a few seconds. */
export const retry = 'retry: 2000\n\n';

/** A comment. Proxies close connections that are silent for a minute. */
export const keepAlive = ': keep-alive\n';
