import { useState } from 'react';
import type { Account } from '../../../api/types.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ProblemNotice } from '../../../components/notice.tsx';
import { useChangeAccount } from '../data/account-change.ts';
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
  /** The `updated_at` of the account when the dialog was opened: the user decides on what was shown then. */
  const [askedOf, setAskedOf] = useState<string | null>(null);
  const isSafe = uses !== undefined && progressOf(uses) === 'new';
  const save = () =>
    askedOf !== null &&
    change.save({ signing_secret_previous: null, if_updated_at: askedOf }, 'The old secret was removed.', onDone);
  const close = () => {
    change.reset();
    setAskedOf(null);
  };
  return (
    <div className="stack">
      <p className="aside">
        <StepText text={keep} />
        {!isSafe && ' If you remove it now, webhooks that use it are rejected.'}
      </p>
      <div className="buttons">
        <Button tone={isSafe ? 'main' : 'danger'} onClick={() => setAskedOf(account.updated_at)}>
          Remove the old secret …
        </Button>
      </div>
      <ConfirmDialog
        open={askedOf !== null}
        title="Remove the old secret?"
        confirm="Remove the old secret"
        tone={isSafe ? 'main' : 'danger'}
        busy={change.isPending}
        onConfirm={save}
        onClose={close}
      >
        <p>
          {isSafe
            ? 'The latest webhooks use the new secret. Those that still use the old one are rejected from now on.'
            : 'Webhooks still use the old secret, or none has come with the new one. Those with the old one are rejected from now on, and the provider may give up on them.'}
        </p>
        <p>It cannot be brought back: the gateway keeps no copy.</p>
        {change.error && <ProblemNotice error={change.error} />}
      </ConfirmDialog>
    </div>
  );
}
