import { type ReactNode, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Field } from '../../../components/field.tsx';
import type { Consumer } from './consumer-types.ts';
import { usePauseAccount, usePauseConsumer, useResumeConsumer } from './use-consumers.ts';

/** A button that pauses deliveries to a consumer after a confirmation, or resumes them at once. */
export function PauseConsumer({ accountId, consumer }: { accountId: string; consumer: Consumer }) {
  const { name, paused } = consumer;
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const pause = usePauseConsumer(accountId, name, close);
  const resume = useResumeConsumer(accountId, name);
  return (
    <>
      <Button
        aria-label={`${paused ? 'Resume' : 'Pause'} ${name}`}
        disabled={resume.isPending}
        onClick={() => (paused ? resume.mutate() : setIsOpen(true))}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <PauseDialog title={`Pause deliveries to ${name}?`} open={isOpen} pause={pause} onClose={close} />
    </>
  );
}

/** A button that pauses deliveries to all consumers of an account after a confirmation. */
export function PauseAccount({ accountId }: { accountId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const pause = usePauseAccount(accountId, close);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Pause all</Button>
      <PauseDialog title="Pause deliveries to all consumers?" open={isOpen} pause={pause} onClose={close} />
    </>
  );
}

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
