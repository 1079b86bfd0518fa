import { useState } from 'react';
import { announce } from '../../../components/announce.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ProblemNotice } from '../../../components/notice.tsx';
import type { Consumer } from './consumer-types.ts';
import { useDeleteConsumer } from './use-consumers.ts';

/** A button that deletes a consumer after a confirmation. */
export function DeleteConsumer({ accountId, consumer }: { accountId: string; consumer: Consumer }) {
  const { name } = consumer;
  const [isOpen, setIsOpen] = useState(false);
  const remove = useDeleteConsumer(accountId);
  const close = () => {
    setIsOpen(false);
    remove.reset();
  };
  const confirm = () =>
    remove.mutate(consumer, {
      onSuccess() {
        setIsOpen(false);
        announce(`${name} was deleted.`, 'good');
      },
    });
  return (
    <>
      <Button tone="quiet" aria-label={`Delete ${name}`} onClick={() => setIsOpen(true)}>
        Delete
      </Button>
      <ConfirmDialog
        open={isOpen}
        title={`Delete the consumer ${name}?`}
        confirm="Delete"
        tone="danger"
        busy={remove.isPending}
        onConfirm={confirm}
        onClose={close}
      >
        <p>
          It gets no further webhooks. Its events that wait for delivery end as <code>consumer_deleted</code>, without
          notifications, and none of its events can be replayed. They stay readable. This cannot be undone; to stop it
          for a while, pause or disable it instead.
        </p>
        {remove.error && <ProblemNotice error={remove.error} />}
      </ConfirmDialog>
    </>
  );
}
