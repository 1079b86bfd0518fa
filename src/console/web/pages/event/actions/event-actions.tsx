import { Check, CircleX, RotateCw, Skull, StepForward } from 'lucide-react';
import { useId, useState } from 'react';
import { useMay } from '../../../api/session.ts';
import type { EventDetails } from '../../../api/types.ts';
import { Button, type Tone } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ReasonField } from '../../../components/reason-field.tsx';
import { useShortcuts } from '../../../components/use-keys.ts';
import styles from '../event.module.css';
import { allowedActions, type EventAction } from './allowed.ts';
import { resultOf, useEventAction } from './use-event-action.ts';

const labels: Record<EventAction, [label: string, tone: Tone]> = {
  replay: ['Replay', 'main'],
  retry: ['Retry now', 'plain'],
  ack: ['Acknowledge', 'plain'],
  fail: ['Mark failed …', 'plain'],
  dead: ['Mark dead …', 'danger'],
};

const icons = { replay: RotateCw, retry: StepForward, ack: Check, fail: CircleX, dead: Skull };

/** What each of them does, beside its button. */
const effects: Record<EventAction, string> = {
  replay: 'The schedule begins again, with an attempt now and the same payload.',
  retry: 'One attempt now; the schedule stays.',
  ack: 'The consumer has processed it: attempts stop.',
  fail: 'The consumer has not processed it; attempts that are due go on.',
  dead: 'Attempts stop, and no destination is notified.',
};

/** What a dialog says before these actions; the others begin at once. */
function questionOf(action: EventAction, { state, delivery_status }: EventDetails) {
  if (action === 'replay' && state === 'acknowledged')
    return {
      title: 'Deliver this event again?',
      confirm: 'Replay',
      text: 'A person has acknowledged it. The consumer gets it again, with the same webhook-id.',
    };
  if (action === 'replay' && delivery_status === 'delivered')
    return {
      title: 'Deliver this event again?',
      confirm: 'Replay',
      text: 'It was delivered. The consumer gets it once more, with the same webhook-id.',
    };
  if (action === 'replay' && delivery_status === 'pending')
    return {
      title: 'Replay this event from the start?',
      confirm: 'Replay',
      text: 'It is still being retried. A replay begins the schedule again now, and ends the present one.',
    };
  if (action === 'fail')
    return {
      title: 'Mark this event failed?',
      confirm: 'Mark failed',
      text: 'For an event that the consumer accepted and did not process. Attempts continue if any are due.',
    };
  if (action === 'dead')
    return {
      title: 'Mark this event dead?',
      confirm: 'Mark dead',
      text: 'Its attempts stop, and no notification is sent. Only a replay starts new attempts.',
    };
  return null;
}

function ActionIcon({ action }: { action: EventAction }) {
  const Icon = icons[action];
  return <Icon />;
}

/** What an operator can do with the event now, and what came of it. `r` replays it. */
export function EventActions({ event }: { event: EventDetails }) {
  const mayOperate = useMay('operate');
  const id = useId();
  const [asked, setAsked] = useState<EventAction | null>(null);
  const [reason, setReason] = useState('');
  const act = useEventAction(event.id);
  const allowed = allowedActions(event);
  const send = (action: EventAction) => act.mutate({ action, reason }, { onSuccess: () => setReason('') });
  const choose = (action: EventAction) => {
    if (questionOf(action, event)) setAsked(action);
    else send(action);
  };
  const canPress = (action: EventAction) => allowed.includes(action) && !act.isPending;
  useShortcuts(({ key }) => key === 'r' && choose('replay'), { isOn: mayOperate && canPress('replay') });
  if (!mayOperate) return null;
  // The button that was pressed stays, with its result, although it may not be pressed again.
  const pressed = act.variables?.action;
  const shown = (Object.keys(labels) as EventAction[]).filter((one) => allowed.includes(one) || one === pressed);
  const question = asked && questionOf(asked, event);
  // The event has changed. Otherwise its next change could ask again by itself.
  if (asked && !question) setAsked(null);
  return (
    <div className={styles.actions}>
      {shown.map((action) => (
        <div key={action} className={styles.action}>
          <Button
            tone={labels[action][1]}
            blocked={!canPress(action)}
            aria-describedby={`${id}-${action}`}
            onClick={() => choose(action)}
          >
            <ActionIcon action={action} /> {labels[action][0]}
          </Button>
          <span className="aside" id={`${id}-${action}`}>
            {effects[action]}
          </span>
          <span role="status" data-tone={act.isError ? 'bad' : 'calm'}>
            {pressed === action && resultOf(act)}
          </span>
        </div>
      ))}
      {allowed.length > 0 && (
        <input
          className={styles.reason}
          aria-label="Reason for the timeline (optional)"
          placeholder="Reason for the timeline (optional)"
          autoComplete="off"
          value={reason}
          maxLength={2000}
          onChange={({ target }) => setReason(target.value)}
        />
      )}
      <ConfirmDialog
        open={question !== null}
        title={question?.title ?? ''}
        confirm={question?.confirm ?? ''}
        tone={asked === 'dead' ? 'danger' : 'main'}
        onConfirm={() => {
          if (asked) send(asked);
          setAsked(null);
        }}
        onClose={() => setAsked(null)}
      >
        <p>{question?.text}</p>
        <ReasonField place="the timeline of the event" value={reason} onChange={setReason} />
      </ConfirmDialog>
    </div>
  );
}
