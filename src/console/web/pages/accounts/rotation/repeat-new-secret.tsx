import { useState } from 'react';
import type { Account } from '../../../api/types.ts';
import { useChangeAccount } from '../data/account-change.ts';
import { fieldErrors } from '../data/field-errors.ts';
import { newSigningSecret } from '../data/new-secret.ts';
import { ChangeForm } from '../fields/change-form.tsx';
import { SecretField } from '../fields/secret-field.tsx';

const field = 'signing_secret_current';

/** Replaces the new secret, for example after it was pasted wrong. The old one stays: this is no further rotation. */
export function RepeatNewSecret(props: {
  account: Account;
  /** Whether the user may choose the secret. */
  isChosen: boolean;
  onSaved(secret: string): void;
}) {
  const { account, isChosen, onSaved } = props;
  const [value, setValue] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const change = useChangeAccount(account.id);
  const save = () =>
    change.save({ [field]: value }, 'The new secret was replaced.', () => {
      onSaved(value);
      setValue('');
      setIsOpen(false);
    });
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>The saved secret is wrong</summary>
      <ChangeForm
        change={change}
        hasField={(path) => path === field}
        submit="Replace the new secret"
        tone="plain"
        onSubmit={save}
      >
        <SecretField
          label="New secret"
          error={fieldErrors(change.error).get(field)}
          required
          generate={isChosen ? newSigningSecret : undefined}
          value={value}
          onChange={setValue}
        />
      </ChangeForm>
    </details>
  );
}
