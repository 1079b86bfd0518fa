import { useState } from 'react';
import type { Account } from '../../../api/types.ts';
import { useChangeAccount } from '../data/account-change.ts';
import { fieldErrors } from '../data/field-errors.ts';
import { ChangeForm } from '../fields/change-form.tsx';
import { SecretField } from '../fields/secret-field.tsx';
import { StepText } from '../guide/step-text.tsx';
import { progressOf, type SecretUses } from './secret-use.ts';
import type { NewPlace } from './use-rotation.ts';

/** The end of a rotation: the old secret is removed. If the new one was saved in addition to it, it takes its place. */
export function FinishRotation(props: {
  account: Account;
  place: NewPlace;
  uses: SecretUses | undefined;
  keep: string;
  onDone(): void;
}) {
  const { account, place, uses, keep, onDone } = props;
  const [fresh, setFresh] = useState('');
  const change = useChangeAccount(account.id);
  const isSafe = uses !== undefined && progressOf(uses, place) === 'new';
  const replaced = place === 'previous' ? { signing_secret_current: fresh } : {};
  const save = () => change.save({ ...replaced, signing_secret_previous: null }, 'The old secret was removed.', onDone);
  return (
    <ChangeForm
      change={change}
      hasField={(path) => path === 'signing_secret_current' && place === 'previous'}
      submit="Remove the old secret"
      tone={isSafe ? 'main' : 'danger'}
      onSubmit={save}
    >
      <p className="aside">
        <StepText text={keep} />
        {!isSafe && ' If you remove it now, webhooks that use it are rejected.'}
      </p>
      {place === 'previous' && (
        <SecretField
          label="New secret, once more"
          hint="It takes the place of the old one."
          error={fieldErrors(change.error).get('signing_secret_current')}
          required
          value={fresh}
          onChange={setFresh}
        />
      )}
    </ChangeForm>
  );
}
