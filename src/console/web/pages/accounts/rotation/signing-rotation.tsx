import { useState } from 'react';
import type { Account, Provider } from '../../../api/types.ts';
import { ToCopy } from '../../../components/to-copy.tsx';
import { useChangeAccount } from '../data/account-change.ts';
import { stepsOf } from '../guide/provider-steps.ts';
import { StepText } from '../guide/step-text.tsx';
import { FinishRotation } from './finish-rotation.tsx';
import { NewSigningSecret } from './new-signing-secret.tsx';
import { rotationOf } from './provider-rotation.ts';
import { RepeatNewSecret } from './repeat-new-secret.tsx';
import type { SecretUses } from './secret-use.ts';
import { Step, Steps } from './steps.tsx';
import { useLostSecret } from './use-lost-secret.ts';
import type { useRotation } from './use-rotation.ts';
import { WatchUses } from './watch-uses.tsx';

interface Props {
  account: Account;
  provider: Provider | undefined;
  uses: SecretUses | undefined;
  rotation: ReturnType<typeof useRotation>;
}

/**
 * The rotation of the signing secret. What is done is read from the account: while it has a previous secret, webhooks
 * with either secret are accepted, and a rotation goes on. The new secret is always the current one.
 */
export function SigningRotation({ account, provider, uses, rotation }: Props) {
  const { close } = rotation;
  // Kept here, because the form goes away as soon as the account is read with its new secret, maybe before the answer.
  const change = useChangeAccount(account.id);
  const isRotating = account.has_signing_secret_previous;
  const { lost } = useLostSecret(account, change, 'signing_secret_current', isRotating);
  const saved = change.isSuccess ? (change.variables?.signing_secret_current ?? null) : lost;
  const [replaced, setReplaced] = useState<string | null>(null);
  // Shown until the rotation is closed, because the user pastes it at the provider.
  const shown = replaced ?? saved;
  const isChosen = stepsOf(account.provider).secret !== 'shown';
  const texts = rotationOf(account.provider);
  const isFirst = !account.has_signing_secret_current;
  return (
    <Steps title={isFirst ? 'Set the secret' : 'Rotate without losing a webhook'} onClose={close}>
      <Step title={isFirst ? '1. Enter the secret' : '1. Save the new secret'} state={isRotating ? 'done' : 'now'}>
        <p className="aside">
          <StepText text={texts.obtain} />
        </p>
        <NewSigningSecret
          account={account}
          provider={provider}
          change={change}
          isChosen={isChosen}
          onSaved={() => isFirst && close()}
        />
      </Step>
      {!isFirst && (
        <>
          <Step title="2. Change it at the provider" state={isRotating ? 'now' : 'later'}>
            <p>
              <StepText text={texts.change} />
            </p>
            {shown !== null && isChosen && <ToCopy label="The new secret. It is not shown again." text={shown} />}
            <RepeatNewSecret account={account} isChosen={isChosen} onSaved={setReplaced} />
          </Step>
          <Step title="3. Watch until webhooks use only the new one" state={isRotating ? 'now' : 'later'}>
            {uses && <WatchUses account={account} uses={uses} />}
          </Step>
          <Step title="4. Remove the old secret" state={isRotating ? 'now' : 'later'}>
            <FinishRotation account={account} uses={uses} keep={texts.keep} onDone={close} />
          </Step>
        </>
      )}
    </Steps>
  );
}
