import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import type { EventDetails } from '../../../api/types.ts';
import { Button, type Tone } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Field } from '../../../components/field.tsx';
import { useShortcuts } from '../../../components/use-keys.ts';
import { allowedActions, type EventAction } from './allowed.ts';
import { useEventAction } from './use-event-action.ts';

const labels: Record<EventAction, [label: string, tone: Tone]> = {
  replay: ['Replay', 'main'],
  retry: ['Retry now', 'plain'],
  ack: ['Acknowledge', 'plain'],
  fail: ['Mark failed …', 'plain'],
  dead: ['Mark dead …', 'danger'],
};

/** What a dialog says before these actions; the others begin at once. */
function questionOf(action: EventAction, { delivery_status }: EventDetails) {
  if (action === 'replay' && delivery_status === 'delivered')
    return {
      title: 'Deliver this event again?',
      confirm: 'Replay',
      text: 'It was delivered. The consumer gets it once more, with the same webhook-id.',
    };
  if (action === 'replay' && delivery_status === 'pending')
    return {
      title: 'Start anew with this event?',
      confirm: 'Replay',
      text: 'It is still being retried. A replay begins ten new attempts now, and ends the present ones.',
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

/** What an operator can do with the event now. `r` replays it. */
export function EventActions({ event }: { event: EventDetails }) {
  const mayOperate = useMay('operate');
  const [asked, setAsked] = useState<EventAction | null>(null);
  const [reason, setReason] = useState('');
  const act = useEventAction(event.id);
  const allowed = allowedActions(event);
  const choose = (action: EventAction) => {
    if (questionOf(action, event)) setAsked(action);
    else act.mutate({ action });
  };
  const canReplay = mayOperate && allowed.includes('replay') && !act.isPending;
  useShortcuts(({ key }) => key === 'r' && choose('replay'), { isOn: canReplay });
  if (!mayOperate) return null;
  const question = asked && questionOf(asked, event);
  const close = () => {
    setAsked(null);
    setReason('');
  };
  return (
    <>
      {allowed.map((action) => (
        <Button key={action} tone={labels[action][1]} disabled={act.isPending} onClick={() => choose(action)}>
          {labels[action][0]}
        </Button>
      ))}
      <ConfirmDialog
        open={question !== null}
        title={question?.title ?? ''}
        confirm={question?.confirm ?? ''}
        tone={asked === 'dead' ? 'danger' : 'main'}
        onConfirm={() => {
          if (asked) act.mutate({ action: asked, reason });
          close();
        }}
        onClose={close}
      >
        <p>{question?.text}</p>
        {(asked === 'fail' || asked === 'dead') && (
          <Field
            label="Reason"
            hint="Optional; stored as the last error of the event."
            value={reason}
            maxLength={2000}
            onChange={setReason}
          />
        )}
      </ConfirmDialog>
    </>
  );
}
