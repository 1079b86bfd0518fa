import { type ReactNode, useState } from 'react';
import { announce } from './announce.ts';
import { Button } from './button.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { ProblemNotice } from './notice.tsx';

/** The part of a mutation of TanStack Query that is used. */
interface Mutation<Of> {
  isPending: boolean;
  error: unknown;
  mutate(of: Of, options: { onSuccess(): void }): void;
  reset(): void;
}

/**
 * A button for what cannot be undone. It asks before the mutation, shows in the dialog why that failed, and announces
 * `done`.
 */
export function ConfirmButton<Of>(props: {
  /** Of the button, and of the one that confirms. */
  label: string;
  /** The name of the button for screen readers, where its label is not enough. */
  name?: string;
  title: string;
  mutation: Mutation<Of>;
  /** What the mutation gets. */
  of: Of;
  done: string;
  /** What it means. */
  children: ReactNode;
}) {
  const { label, name, title, mutation, of, done, children } = props;
  const [isOpen, setIsOpen] = useState(false);
  const close = () => {
    setIsOpen(false);
    mutation.reset();
  };
  const confirm = () =>
    mutation.mutate(of, {
      onSuccess() {
        setIsOpen(false);
        announce(done, 'good');
      },
    });
  return (
    <>
      <Button tone="quiet" aria-label={name} onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      <ConfirmDialog
        open={isOpen}
        title={title}
        confirm={label}
        tone="danger"
        busy={mutation.isPending}
        onConfirm={confirm}
        onClose={close}
      >
        <p>{children}</p>
        {mutation.error !== null && <ProblemNotice error={mutation.error} />}
      </ConfirmDialog>
    </>
  );
}
