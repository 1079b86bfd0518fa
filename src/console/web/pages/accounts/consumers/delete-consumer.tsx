import { ConfirmButton } from '../../../components/confirm-button.tsx';
import type { Consumer } from './consumer-types.ts';
import { useDeleteConsumer } from './use-consumers.ts';

/** A button that deletes a consumer after a confirmation. */
export function DeleteConsumer({ accountId, consumer }: { accountId: string; consumer: Consumer }) {
  const { name } = consumer;
  return (
    <ConfirmButton
      label="Delete"
      name={`Delete ${name}`}
      title={`Delete the consumer ${name}?`}
      mutation={useDeleteConsumer(accountId)}
      of={consumer}
      done={`${name} was deleted.`}
    >
      It gets no further webhooks. Its events that wait for delivery end as <code>consumer_deleted</code>, without
      notifications, and none of its events can be replayed. They stay readable. This cannot be undone; to stop it for a
      while, pause or disable it instead.
    </ConfirmButton>
  );
}
