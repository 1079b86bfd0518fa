import { useState } from 'react';
import { announce } from '../../../components/announce.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ProblemNotice } from '../../../components/notice.tsx';
import type { Destination } from './destination-types.ts';
import { useDeleteDestination } from './use-destinations.ts';

/** A button that deletes a destination after a confirmation. */
export function DeleteDestination({ accountId, destination }: { accountId: string; destination: Destination }) {
  const [isOpen, setIsOpen] = useState(false);
  const remove = useDeleteDestination(accountId);
  const close = () => {
    setIsOpen(false);
    remove.reset();
  };
  const confirm = () =>
    remove.mutate(destination, {
      onSuccess: () => {
        setIsOpen(false);
        announce(`${destination.name} was deleted.`, 'good');
      },
    });
  return (
    <>
      <Button tone="quiet" onClick={() => setIsOpen(true)}>
        Delete
      </Button>
      <ConfirmDialog
        open={isOpen}
        title="Delete the destination"
        confirm="Delete"
        tone="danger"
        busy={remove.isPending}
        onConfirm={confirm}
        onClose={close}
      >
        <p>
          <strong>
            <bdi>{destination.name}</bdi>
          </strong>{' '}
          gets no further messages. Those that are recorded already are still sent. This cannot be undone; to keep the
          settings, turn the destination off instead.
        </p>
        {remove.error && <ProblemNotice error={remove.error} />}
      </ConfirmDialog>
    </>
  );
}
