import { durationText } from '../../../components/time-text.ts';
import type { Entry } from './timeline-entries.ts';

/** Shorter waits say nothing. */
const shownWaitMs = 1_000;

export const endOf = (entry: Entry) => (entry.kind === 'attempt' ? entry.endMs : entry.atMs);

/** `5 min later`: how long after the end of `before`; null right after it. */
export function waitBefore(entry: Entry, before: Entry | undefined): string | null {
  if (!before) return null;
  const ms = entry.atMs - endOf(before);
  return ms < shownWaitMs ? null : `${durationText(ms)} later`;
}
