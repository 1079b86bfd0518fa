import { type Incident, isOpen, leftOf } from '../../api/incidents.ts';
import { Moment } from '../../components/moment.tsx';
import { Notice } from '../../components/notice.tsx';
import { counted } from '../../components/number-text.ts';
import { IncidentJudgement } from './incident-judgement.tsx';

/** What an operator should know of an incident first: a pause, what is left of it, and what colleagues said. */
export function IncidentNotices({ incident }: { incident: Incident }) {
  const { paused, state, note } = incident;
  const left = leftOf(incident);
  return (
    <>
      {paused && (
        <Notice tone="open">
          <p>
            <strong>
              {paused.by === 'account' ? 'Deliveries to all consumers of this account' : 'Deliveries to this consumer'}{' '}
              are paused
            </strong>{' '}
            since <Moment iso={paused.since} />
            {paused.reason !== null && (
              <>
                : <bdi>{paused.reason}</bdi>
              </>
            )}
            . {isOpen(incident) && 'The incident ends after they are resumed and succeed.'}
          </p>
        </Notice>
      )}
      {!isOpen(incident) && (
        <Notice tone={left ? 'open' : 'good'}>
          <p>
            <strong>It is over.</strong> <IncidentJudgement incident={incident} />{' '}
            {left ? `${counted(left, 'event')} of it still wait or are exhausted.` : 'Nothing of it is left.'}
          </p>
        </Notice>
      )}
      {state === 'acknowledged' && (
        <Notice>
          <p>
            <IncidentJudgement incident={incident} />
          </p>
        </Notice>
      )}
      {note !== null && (
        <Notice>
          <p>
            <strong>Note:</strong> <bdi>{note}</bdi>
          </p>
        </Notice>
      )}
    </>
  );
}
