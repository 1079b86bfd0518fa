import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, api } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { statsKey } from '../../api/stats.ts';
import { announce } from '../../components/announce.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Field } from '../../components/field.tsx';

/** Pauses all deliveries, after a confirmation. The banner of all pages resumes them. */
export function PauseButton() {
  const mayPause = useMay('operate');
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const client = useQueryClient();
  const pause = useMutation({
    mutationFn: () => answer(api.delivery.pause.post({ reason: reason.trim() })),
    onSuccess: () => {
      setAsking(false);
      setReason('');
      announce('Deliveries are paused.', 'good');
    },
    onError: (problem) => announce(problem.message, 'bad'),
    onSettled: () => client.invalidateQueries({ queryKey: statsKey }),
  });
  if (!mayPause) return null;
  return (
    <>
      <Button onClick={() => setAsking(true)}>Pause deliveries</Button>
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
          maxLength={500}
          onChange={({ target }) => setReason(target.value)}
        />
      </ConfirmDialog>
    </>
  );
}
