import type { Account } from '../../../api/types.ts';
import { useChangeAccount } from '../data/account-change.ts';
import { ChangeForm } from '../fields/change-form.tsx';
import { StepText } from '../guide/step-text.tsx';
import { progressOf, type SecretUses } from './secret-use.ts';

/** The end of a rotation: the old secret is removed. */
export function FinishRotation(props: {
  account: Account;
  uses: SecretUses | undefined;
  keep: string;
  onDone(): void;
}) {
  const { account, uses, keep, onDone } = props;
  const change = useChangeAccount(account.id);
  const isSafe = uses !== undefined && progressOf(uses) === 'new';
  const save = () => change.save({ signing_secret_previous: null }, 'The old secret was removed.', onDone);
  return (
    <ChangeForm
      change={change}
      hasField={() => false}
      submit="Remove the old secret"
      tone={isSafe ? 'main' : 'danger'}
      onSubmit={save}
    >
      <p className="aside">
        <StepText text={keep} />
        {!isSafe && ' If you remove it now, webhooks that use it are rejected.'}
      </p>
    </ChangeForm>
  );
}
