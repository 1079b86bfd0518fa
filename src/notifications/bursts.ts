import type { DestinationType } from './destinations/destination-config.ts';

/** The time window of NOTIFY_BURST. */
export const defaultBurstMs = 10 * 60_000;

/** At most `limit` messages to one destination in any `windowMs`. */
export interface BurstLimit {
  limit: number;
  windowMs: number;
}

/** The recent messages to a destination. */
export interface Burst {
  /** When messages were sent, including summaries. A summary that is still open counts at the time when it is due. */
  toldAt: Date[];
  /** Messages older than the window that are not sent yet: the destination has asked to wait, or is unavailable. */
  waiting: number;
}

/** Whether bursts are folded into summaries. Only for destinations that people read; programs process every message. */
export const isFolded = (type: DestinationType) => type !== 'webhook';

export interface Share {
  /** The number of events with a message of their own; the others go into a summary. */
  single: number;
  /** The new value of `Burst.toldAt`. */
  toldAt: Date[];
  /** Whether a new summary has to be opened. */
  opens: boolean;
}

/**
 * Decides how many of several events get a message of their own. While a summary is open, every event goes into it, so
 * that later events are not reported before earlier ones. A summary is sent one window after it was opened, and counts
 * as a message itself.
 *
 * @param open whether there is a summary that accepts events now
 */
export function shareOut(
  burst: Burst,
  open: boolean,
  events: number,
  now: Date,
  { limit, windowMs }: BurstLimit,
): Share {
  const recent = burst.toldAt.filter((at) => at.getTime() > now.getTime() - windowMs);
  if (open) return { single: 0, toldAt: recent, opens: false };
  const single = Math.min(events, Math.max(0, limit - recent.length - burst.waiting));
  const opens = single < events;
  const closes = opens ? [new Date(now.getTime() + windowMs)] : [];
  return { single, toldAt: [...recent, ...Array.from({ length: single }, () => now), ...closes], opens };
}
