import { useState } from 'react';
import type { Account, Provider } from '../../../api/types.ts';
import { Check } from '../../../components/field.tsx';
import { MarkedText } from '../../../components/marked-text.tsx';
import { useChangeAccount } from '../data/account-change.ts';
import { fieldErrors } from '../data/field-errors.ts';
import { newSigningSecret } from '../data/new-secret.ts';
import { ChangeForm } from '../fields/change-form.tsx';
import { SecretField } from '../fields/secret-field.tsx';
import type { NewPlace } from './use-rotation.ts';

/** The form that saves the new signing secret in addition to the old one, so that webhooks with either are accepted. */
export function NewSigningSecret(props: {
  account: Account;
  provider: Provider | undefined;
  /** Whether the user may choose the secret. */
  isChosen: boolean;
  onSaved(secret: string, place: NewPlace): void;
}) {
  const { account, provider, isChosen, onSaved } = props;
  const isFirst = !account.has_signing_secret_current;
  const [fresh, setFresh] = useState('');
  const [old, setOld] = useState('');
  const [isOldLost, setIsOldLost] = useState(false);
  const change = useChangeAccount(account.id);
  const errors = fieldErrors(change.error);
  const place: NewPlace = isOldLost ? 'previous' : 'current';
  const secrets = isFirst
    ? { signing_secret_current: fresh }
    : isOldLost
      ? { signing_secret_previous: fresh }
      : { signing_secret_current: fresh, signing_secret_previous: old };
  const save = () =>
    change.save(secrets, isFirst ? 'The secret was saved.' : 'Both secrets are accepted now.', () =>
      onSaved(fresh, place),
    );
  return (
    <ChangeForm
      change={change}
      hasField={(path) => path.startsWith('signing_secret_')}
      submit={isFirst ? 'Save' : 'Save the new secret'}
      onSubmit={save}
    >
      <SecretField
        label={isFirst ? (provider?.secret.label ?? 'Secret') : 'New secret'}
        hint={provider && <MarkedText text={provider.secret.hint} />}
        error={errors.get(`signing_secret_${place}`)}
        required
        generate={isChosen ? newSigningSecret : undefined}
        value={fresh}
        onChange={setFresh}
      />
      {!isFirst && !isOldLost && (
        <SecretField
          label="Old secret"
          hint="The gateway never shows it, so enter it again. It is kept as the previous secret."
          error={errors.get('signing_secret_previous')}
          required
          value={old}
          onChange={setOld}
        />
      )}
      {!isFirst && (
        <Check
          label="I no longer have the old secret"
          hint="It then stays where it is, and the new one is saved in addition. You enter the new one again in step 4."
          checked={isOldLost}
          onChange={setIsOldLost}
        />
      )}
    </ChangeForm>
  );
}
