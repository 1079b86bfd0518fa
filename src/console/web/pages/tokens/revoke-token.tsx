import { ConfirmButton } from '../../components/confirm-button.tsx';
import { type StoredToken, useRevokeToken } from './use-tokens.ts';

/** A button that revokes a token after a confirmation. */
export function RevokeToken({ token }: { token: StoredToken }) {
  const { name } = token;
  return (
    <ConfirmButton
      label="Revoke"
      name={`Revoke ${name}`}
      title="Revoke the token"
      mutation={useRevokeToken()}
      of={token}
      done={`${name} was revoked.`}
    >
      What uses <strong>{name}</strong> is refused within a second. This cannot be undone; create another token in its
      place.
    </ConfirmButton>
  );
}
