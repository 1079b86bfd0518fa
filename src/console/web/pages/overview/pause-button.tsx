import { useState } from 'react';
import { answer, api } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { statsKey } from '../../api/stats.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Field } from '../../components/field.tsx';
import { passFocusOn } from '../../components/pass-focus-on.ts';
import { useAction } from '../../components/use-action.ts';

/** Pauses all deliveries, after a confirmation. The banner of all pages resumes them. */
export function PauseButton() {
  const mayPause = useMay('operate');
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const pause = useAction({
    call: () => answer(api.delivery.pause.post({ reason: reason.trim() })),
    done: () => 'Deliveries are paused.',
    changes: statsKey,
    onDone() {
      setAsking(false);
      setReason('');
    },
  });
  if (!mayPause) return null;
  return (
    <>
      <Button ref={passFocusOn} onClick={() => setAsking(true)}>
        Pause deliveries
      </Button>
      <ConfirmDialog
        open={isAsking}
        title="Pause all deliveries?"
        confirm="Pause deliveries"
        busy={pause.isPending}
        onConfirm={() => pause.mutate()}
        onClose={() => setAsking(false)}
      >
        <p>
          Webhooks are still accepted and stored. No attempt is made and no notification is sent until someone resumes
          deliveries. Attempts in flight are completed.
        </p>
        <Field
          label="Reason"
          hint="Shown on all pages while deliveries are paused."
          value={reason}
          maxLength={200}
          onChange={setReason}
        />
      </ConfirmDialog>
    </>
  );
}
