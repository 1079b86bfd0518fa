import { useId, useState } from 'react';
import type { Incident } from '../../api/incidents.ts';
import { useMay } from '../../api/session.ts';
import { Button, buttonClass } from '../../components/button.tsx';
import { IncidentCounts } from './incident-counts.tsx';
import { AnswerLink, EventsLink, IncidentLink } from './incident-links.tsx';
import { IncidentState } from './incident-state.tsx';
import { causeOf, sentenceOf, subjectOf } from './incident-words.ts';
import styles from './incidents.module.css';
import { PauseIncident } from './pause-incident.tsx';
import { ReplayIncident } from './replay-incident.tsx';

/**
 * An incident as a line of the overview, with what an operator does next.
 *
 * @param others further incidents of the same consumer, which have the same events.
 * @param onFocus called when something in the line or in its dialog gets the focus.
 */
export function IncidentLine(props: { incident: Incident; others: readonly Incident[]; onFocus(): void }) {
  const { incident, others, onFocus } = props;
  const { kind, account_id: accountId, consumer, paused, acknowledged_by } = incident;
  const mayOperate = useMay('operate') && kind === 'delivery' && accountId !== null;
  const [isReplaying, setIsReplaying] = useState(false);
  const form = useId();
  const { detail } = causeOf(incident);
  return (
    <li className={styles.line} aria-label={sentenceOf(incident)} onFocus={onFocus}>
      <div className={styles.what}>
        <div className="line">
          <IncidentState incident={incident} />
          <IncidentLink incident={incident} />
          {acknowledged_by !== null && incident.state === 'acknowledged' && (
            <span className="aside">
              by <bdi>{acknowledged_by}</bdi>
            </span>
          )}
        </div>
        <p className={styles.details}>
          <IncidentCounts incident={incident} />
          {detail !== null && (
            <AnswerLink incident={incident}>
              <code className={styles.cause}>
                <bdi>{detail}</bdi>
              </code>
            </AnswerLink>
          )}
          {others.map((other) => (
            <span key={other.id}>
              also <IncidentLink incident={other} />
            </span>
          ))}
          {paused && <span>paused{paused.reason !== null && <bdi>: {paused.reason}</bdi>}</span>}
        </p>
      </div>
      <div className="buttons">
        <EventsLink incident={incident} className={buttonClass()} />
        {mayOperate && (
          <>
            <PauseIncident incident={incident} accountId={accountId} consumer={consumer ?? 'default'} />
            <Button
              aria-label={`Replay the events of ${subjectOf(incident)}`}
              aria-expanded={isReplaying}
              aria-controls={form}
              onClick={() => setIsReplaying(!isReplaying)}
            >
              Replay …
            </Button>
          </>
        )}
      </div>
      <div id={form} className={styles.form} hidden={!isReplaying}>
        {isReplaying && <ReplayIncident incident={incident} onCancel={() => setIsReplaying(false)} />}
      </div>
    </li>
  );
}
