// biome-ignore-all lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the panel
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { EventItem } from '../../../api/types.ts';
import { EventBadge } from '../../../components/badge.tsx';
import { Button, buttonClass } from '../../../components/button.tsx';
import { Due } from '../../../components/moment.tsx';
import { ProblemNotice } from '../../../components/notice.tsx';
import { LastAnswer } from '../../event/answer/last-answer.tsx';
import { AttemptList } from '../../event/timeline/attempt-list.tsx';
import { useEvent } from '../../event/use-event.ts';
import styles from './preview.module.css';

/**
 * How the consumer answered an event of the list, beside the list. `j` and `k` go on to the next.
 *
 * @param row what the list knows of the event, until its details are read
 */
export function Preview({ eventId, row, onClose }: { eventId: string; row: EventItem | undefined; onClose(): void }) {
  const { data, error, refetch } = useEvent(eventId);
  const event = data ?? row;
  return (
    <section className={`panel ${styles.preview}`} aria-label="Answer" tabIndex={0} aria-busy={!data && !error}>
      <header className="spread">
        <h2 className={styles.name}>
          <bdi>{event ? (event.event_type ?? event.external_id) : 'Loading …'}</bdi>
        </h2>
        <div className="buttons">
          <Link to="/events/$eventId" params={{ eventId }} className={buttonClass()}>
            Open
          </Link>
          <Button tone="quiet" aria-label="Close the answer" onClick={onClose}>
            <X />
          </Button>
        </div>
      </header>
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {event && (
        <p className="line">
          <EventBadge {...event} />
          {event.next_attempt_at !== null && (
            <span className="aside">
              next attempt <Due iso={event.next_attempt_at} />
            </span>
          )}
        </p>
      )}
      {data && (
        <>
          <LastAnswer event={data} />
          <AttemptList event={data} />
        </>
      )}
    </section>
  );
}
