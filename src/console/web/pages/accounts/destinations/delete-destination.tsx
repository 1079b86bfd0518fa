import { ConfirmButton } from '../../../components/confirm-button.tsx';
import type { Destination } from './destination-types.ts';
import { useDeleteDestination } from './use-destinations.ts';

/** A button that deletes a destination after a confirmation. */
export function DeleteDestination({ accountId, destination }: { accountId: string; destination: Destination }) {
  const { name } = destination;
  return (
    <ConfirmButton
      label="Delete"
      title="Delete the destination"
      mutation={useDeleteDestination(accountId)}
      of={destination}
      done={`${name} was deleted.`}
    >
      <strong>
        <bdi>{name}</bdi>
      </strong>{' '}
      gets no further messages. Those that are recorded already are still sent. This cannot be undone; to keep the
      settings, turn the destination off instead.
    </ConfirmButton>
  );
}
