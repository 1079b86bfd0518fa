import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Field } from '../../../components/field.tsx';
import type { usePauseAccount, usePauseConsumer } from './use-pauses.ts';

/** Asks for the reason of a pause, and pauses. */
export function PauseDialog(props: {
  title: string;
  open: boolean;
  pause: ReturnType<typeof usePauseAccount> | ReturnType<typeof usePauseConsumer>;
  /** What is asked before the reason. */
  children?: ReactNode;
  onClose(): void;
}) {
  const { title, open, pause, children, onClose } = props;
  const [reason, setReason] = useState('');
  return (
    <ConfirmDialog
      open={open}
      title={title}
      confirm="Pause deliveries"
      busy={pause.isPending}
      onConfirm={() => pause.mutate(reason, { onSuccess: () => setReason('') })}
      onClose={onClose}
    >
      <p>
        Webhooks still become events. Attempts that become due wait until someone resumes deliveries. Attempts in flight
        are completed.
      </p>
      {children}
      <Field
        label="Reason"
        hint="Optional; shown while it lasts."
        value={reason}
        maxLength={200}
        onChange={setReason}
      />
    </ConfirmDialog>
  );
}
