import { useState } from 'react';
import type { Account } from '../../../api/types.ts';
import { announce } from '../../../components/announce.ts';
import { Button } from '../../../components/button.tsx';
import { useChangeAccount } from '../data/account-change.ts';
import { fieldErrors } from '../data/field-errors.ts';
import { FormNotice } from '../fields/form-notice.tsx';
import { SecretField } from '../fields/secret-field.tsx';
import type { NewPlace } from './use-rotation.ts';

/** Replaces the new secret, for example after it was pasted wrong. The old one stays. */
export function RepeatNewSecret(props: { account: Account; place: NewPlace; onSaved(secret: string): void }) {
  const { account, place, onSaved } = props;
  const [value, setValue] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const change = useChangeAccount(account.id);
  const field = `signing_secret_${place}` as const;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>The saved secret is wrong</summary>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate(
            { [field]: value },
            {
              onSuccess() {
                announce('The new secret was replaced.', 'good');
                onSaved(value);
                setValue('');
                setIsOpen(false);
              },
            },
          );
        }}
      >
        <SecretField
          label="New secret"
          error={fieldErrors(change.error).get(field)}
          required
          value={value}
          onChange={setValue}
        />
        <FormNotice error={change.error} hasField={(path) => path === field} />
        <div className="buttons">
          <Button type="submit" disabled={change.isPending}>
            Replace the new secret
          </Button>
        </div>
      </form>
    </details>
  );
}
