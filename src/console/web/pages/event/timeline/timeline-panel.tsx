import { useMemo } from 'react';
import type { EventDetails } from '../../../api/types.ts';
import { useNow } from '../../../components/moment.tsx';
import { Panel } from '../../../components/page.tsx';
import { durationText } from '../../../components/time-text.ts';
import { useOperatorEntries } from '../use-event.ts';
import { EntryItem } from './entry-item.tsx';
import { NextAttempt } from './next-attempt.tsx';
import { ScaleBar } from './scale-bar.tsx';
import styles from './timeline.module.css';
import { type Entry, timelineEntries, unsentNotifications } from './timeline-entries.ts';
import { UnsentNotification } from './unsent-notification.tsx';

/** Shorter waits say nothing. */
const shownWaitMs = 1_000;

/** What happened to an event, from its receipt to its end: drawn to scale, and as a list. */
export function TimelinePanel({ event }: { event: EventDetails }) {
  const { data: operators } = useOperatorEntries(event.id);
  const entries = useMemo(() => timelineEntries(event, operators ?? []), [event, operators]);
  const isPending = event.delivery_status === 'pending';
  const nowMs = useNow(1_000);
  const lastMs = Math.max(...entries.map(endOf));
  return (
    <Panel title="What happened">
      <ScaleBar
        entries={entries}
        endMs={isPending ? Math.max(lastMs, nowMs) : lastMs}
        nextMs={event.next_attempt_at === null ? null : Date.parse(event.next_attempt_at)}
      />
      <ol className={styles.list}>
        {entries.map((entry, index) => (
          <EntryItem key={entry.key} entry={entry} event={event} waited={waitBefore(entries, index)} />
        ))}
        {unsentNotifications(event).map((notification) => (
          <UnsentNotification
            key={`${notification.destination_id} ${notification.generation}`}
            notification={notification}
          />
        ))}
        {isPending && <NextAttempt event={event} nowMs={nowMs} />}
      </ol>
    </Panel>
  );
}

const endOf = (entry: Entry) => (entry.kind === 'attempt' ? entry.endMs : entry.atMs);

/** `5 min later`, or null right after what was before. */
function waitBefore(entries: readonly Entry[], index: number): string | null {
  const [before, entry] = [entries[index - 1], entries[index]];
  if (!before || !entry) return null;
  const ms = entry.atMs - endOf(before);
  return ms < shownWaitMs ? null : `${durationText(ms)} later`;
}
