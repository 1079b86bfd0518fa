import type { DestinationType } from '../destinations/destination-config.ts';

/** The window that NOTIFY_BURST is about. */
export const defaultBurstMs = 10 * 60_000;

/** At most `limit` messages to one destination in any `windowMs`. */
export interface BurstLimit {
  limit: number;
  windowMs: number;
}

/** What is known about how often a destination was told of late. */
export interface Burst {
  /** When it was told, summaries included: one that is still open counts from when it will be sent. */
  toldAt: Date[];
  /** Messages that are older than the window and yet to arrive: the destination has asked to wait, or is away. */
  waiting: number;
}

/** Programs read every message; people do not, and a mailbox or a chat that overflows is not read at all. */
export const isFolded = (type: DestinationType) => type !== 'webhook';

export interface Share {
  /** How many are told of one by one; the rest goes into a summary. */
  single: number;
  /** As it is afterwards. */
  toldAt: Date[];
  /** A summary has to be begun. */
  opens: boolean;
}

/**
 * Decides how many of some events a destination is told of one by one. Once a summary is open everything goes into it, so
 * that what comes later is not told of first; it is sent a window after it was opened, and counts as a message itself.
 *
 * @param open whether there is a summary that takes what comes now
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
