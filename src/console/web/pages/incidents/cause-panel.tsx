import { type Incident, isOpen } from '../../api/incidents.ts';
import { MarkedText } from '../../components/marked-text.tsx';
import { Panel } from '../../components/page.tsx';
import { adviceOn } from '../../components/rejection-reasons.ts';
import { adviceOnGateway } from './gateway-advice.ts';
import { AnswerLink } from './incident-links.tsx';

/** Why it fails: the cause in full, the way to the answer of one event, and what to do where that is known. */
export function CausePanel({ incident }: { incident: Incident }) {
  const { kind, cause, example_event_id } = incident;
  if (kind === 'gateway') return isOpen(incident) && <GatewayAdvice cause={cause} />;
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

/** The title of the page is the cause. */
function GatewayAdvice({ cause }: { cause: string }) {
  const advice = adviceOnGateway(cause);
  if (advice === null) return null;
  return (
    <Panel title="What to do">
      <p>
        <MarkedText text={advice} />
      </p>
    </Panel>
  );
}
