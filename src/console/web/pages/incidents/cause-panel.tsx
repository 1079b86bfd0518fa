import type { Incident } from '../../api/incidents.ts';
import { MarkedText } from '../../components/marked-text.tsx';
import { Panel } from '../../components/page.tsx';
import { adviceOn } from '../../components/rejection-reasons.ts';
import { AnswerLink } from './incident-links.tsx';

/** Why it fails: the cause in full, the way to the answer of one event, and what to do where that is known. */
export function CausePanel({ incident }: { incident: Incident }) {
  const { kind, cause, example_event_id } = incident;
  const advice = kind === 'rejections' ? adviceOn(cause) : null;
  return (
    <Panel
      title="Cause"
      actions={
        example_event_id !== null && (
          <AnswerLink incident={incident}>
            {kind === 'delivery' ? 'The whole answer to one of its events' : 'One of the webhooks'}
          </AnswerLink>
        )
      }
    >
      <div className="stack">
        <pre className="answer" dir="ltr">
          {cause}
        </pre>
        {advice !== null && (
          <p>
            <MarkedText text={advice} />
          </p>
        )}
      </div>
    </Panel>
  );
}
