import { useState } from 'react';
import type { Account, Provider } from '../../../api/types.ts';
import { ToCopy } from '../../../components/to-copy.tsx';
import { stepsOf } from '../guide/provider-steps.ts';
import { StepText } from '../guide/step-text.tsx';
import { FinishRotation } from './finish-rotation.tsx';
import { NewSigningSecret } from './new-signing-secret.tsx';
import { rotationOf } from './provider-rotation.ts';
import { RepeatNewSecret } from './repeat-new-secret.tsx';
import type { SecretUses } from './secret-use.ts';
import { Step, Steps } from './steps.tsx';
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
  // Shown until the rotation is closed, because the user pastes it at the provider.
  const [saved, setSaved] = useState<string | null>(null);
  const texts = rotationOf(account.provider);
  const isRotating = account.has_signing_secret_previous;
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
          isChosen={stepsOf(account.provider).secret !== 'shown'}
          onSaved={(secret) => (isFirst ? close() : setSaved(secret))}
        />
      </Step>
      {!isFirst && (
        <>
          <Step title="2. Change it at the provider" state={isRotating ? 'now' : 'later'}>
            <p>
              <StepText text={texts.change} />
            </p>
            {saved !== null && stepsOf(account.provider).secret !== 'shown' && (
              <ToCopy label="The new secret. It is not shown again." text={saved} />
            )}
            <RepeatNewSecret account={account} onSaved={setSaved} />
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
