import { useState } from 'react';
import type { Account } from '../../../api/types.ts';
import { announce } from '../../../components/announce.ts';
import { Button } from '../../../components/button.tsx';
import { useChangeAccount } from '../data/account-change.ts';
import { fieldErrors } from '../data/field-errors.ts';
import { FormNotice } from '../fields/form-notice.tsx';
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
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const replaced = place === 'previous' ? { signing_secret_current: fresh } : {};
        change.mutate(
          { ...replaced, signing_secret_previous: null },
          {
            onSuccess() {
              announce('The old secret was removed.', 'good');
              onDone();
            },
          },
        );
      }}
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
      <FormNotice error={change.error} hasField={(path) => path === 'signing_secret_current' && place === 'previous'} />
      <div className="buttons">
        <Button tone={isSafe ? 'main' : 'danger'} type="submit" disabled={change.isPending}>
          Remove the old secret
        </Button>
      </div>
    </form>
  );
}
