import { useRouterState } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { EventDetails } from '../../../api/types.ts';
import { useNow } from '../../../components/moment.tsx';
import { Panel } from '../../../components/page.tsx';
import { EntryItem } from './entry-item.tsx';
import { FoldItem } from './fold-item.tsx';
import { foldedEntries } from './folded-entries.ts';
import { NextAttempt } from './next-attempt.tsx';
import { ScaleBar } from './scale-bar.tsx';
import styles from './timeline.module.css';
import { lastAnswerKey, timelineEntries, unsentNotifications } from './timeline-entries.ts';
import { UnsentNotification } from './unsent-notification.tsx';
import { endOf, waitBefore } from './waits.ts';

/** What happened to an event, from its receipt to its end: drawn to scale, and as a list, newest first. */
export function TimelinePanel({ event }: { event: EventDetails }) {
  const entries = useMemo(() => timelineEntries(event), [event]);
  const folded = useMemo(() => foldedEntries(entries.toReversed()), [entries]);
  const isPending = event.delivery_status === 'pending';
  const isLinked = useRouterState({ select: ({ location }) => location.hash === 'answer' });
  // The answer of the time when the page opened: a later attempt does not move the reader.
  const [linked] = useState(() => (isLinked ? lastAnswerKey(entries) : null));
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
        {isPending && <NextAttempt event={event} nowMs={nowMs} />}
        {unsentNotifications(event).map((notification) => (
          <UnsentNotification
            key={`${notification.destination_id} ${notification.generation}`}
            notification={notification}
          />
        ))}
        {folded.map((one) =>
          one.kind === 'fold' ? (
            <FoldItem key={one.key} attempts={one.attempts} event={event} linked={linked} />
          ) : (
            <EntryItem
              key={one.entry.key}
              entry={one.entry}
              event={event}
              waited={waitBefore(one.entry, entries[entries.indexOf(one.entry) - 1])}
              isLinked={one.entry.key === linked}
            />
          ),
        )}
      </ol>
    </Panel>
  );
}
