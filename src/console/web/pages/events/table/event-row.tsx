// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list are positioned, which elements of tables are not
// biome-ignore-all lint/a11y/useFocusableInteractive: the link in a row has the focus

import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { EventItem } from '../../../api/types.ts';
import { AccountName } from '../../../components/account-name.tsx';
import { EventBadge } from '../../../components/badge.tsx';
import { Due, Moment } from '../../../components/moment.tsx';
import styles from './table.module.css';

/** One event of a list. Rendered again only when it has changed, because a live list changes several times a second. */
export const EventRow = memo(function EventRow(props: {
  event: EventItem;
  index: number;
  top: number;
  isSelected: boolean;
  canSelect: boolean;
  /** Why it was rejected, or what the consumer answered last. */
  answer: string | null;
  /** Whether its answer is shown beside the list. */
  isPreviewed: boolean;
  /** Absent: the list has nothing beside it. */
  onPreview: ((id: string) => void) | undefined;
  onSelect(id: string): void;
}) {
  const { event, index, top, isSelected, canSelect, answer, isPreviewed, onPreview, onSelect } = props;
  const name = event.event_type ?? event.external_id;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={canSelect ? isSelected : undefined}
      className={styles.row}
      style={{ translate: `0 ${top}px` }}
      data-event={event.id}
      data-previewed={isPreviewed}
      data-answer={answer !== null}
    >
      <span role="cell" className={styles.check}>
        {canSelect && (
          <input
            type="checkbox"
            checked={isSelected}
            tabIndex={-1}
            aria-label={`Select ${name}`}
            onChange={() => onSelect(event.id)}
          />
        )}
      </span>
      <span role="cell" className={styles.time}>
        <Moment iso={event.received_at} ago />
      </span>
      <span role="cell" className={styles.state}>
        <EventBadge {...event} />
      </span>
      <span role="cell" className={styles.code} data-failed={event.last_error !== null}>
        {event.response_code}
      </span>
      <span role="cell" className={styles.type}>
        <Link
          to="/events/$eventId"
          params={{ eventId: event.id }}
          data-row={event.id}
          data-untyped={event.event_type === null}
        >
          <bdi>{name}</bdi>
        </Link>
        {event.event_type !== null && <bdi className={styles.external}>{event.external_id}</bdi>}
      </span>
      <span role="cell" className={styles.account}>
        <AccountName of={event} />
        {event.consumer !== 'default' && (
          <>
            {' → '}
            <bdi>{event.consumer}</bdi>
          </>
        )}
      </span>
      <span role="cell" className={styles.answer}>
        {answer !== null && onPreview ? (
          // Without a stop of the tab key: `p` does the same for the row that has the focus.
          <button
            type="button"
            tabIndex={-1}
            title={answer}
            aria-label={`Answer to ${name}: ${answer}`}
            onClick={() => onPreview(event.id)}
          >
            <bdi>{answer}</bdi>
          </button>
        ) : (
          <bdi>{answer}</bdi>
        )}
      </span>
      <span role="cell" className={styles.next}>
        {event.next_attempt_at !== null && event.waits_for === null && <Due iso={event.next_attempt_at} />}
      </span>
    </div>
  );
});
