import { useState } from 'react';
import type { Account, Provider } from '../../../api/types.ts';
import { MarkedText } from '../../../components/marked-text.tsx';
import type { AccountMutation } from '../data/account-change.ts';
import { fieldErrors } from '../data/field-errors.ts';
import { newSigningSecret } from '../data/new-secret.ts';
import { ChangeForm } from '../fields/change-form.tsx';
import { SecretField } from '../fields/secret-field.tsx';

const field = 'signing_secret_current';

/**
 * The form that saves the new signing secret. The gateway keeps the one that it has, so that webhooks with either are
 * accepted; the user need not have it.
 */
export function NewSigningSecret(props: {
  account: Account;
  provider: Provider | undefined;
  change: AccountMutation;
  /** Whether the user may choose the secret. */
  isChosen: boolean;
  onSaved(): void;
}) {
  const { account, provider, change, isChosen, onSaved } = props;
  const isFirst = !account.has_signing_secret_current;
  const [fresh, setFresh] = useState('');
  const save = () =>
    change.save(
      isFirst ? { [field]: fresh } : { [field]: fresh, rotate: true },
      isFirst ? 'The secret was saved.' : 'Both secrets are accepted now.',
      onSaved,
    );
  return (
    <ChangeForm
      change={change}
      hasField={(path) => path === field}
      submit={isFirst ? 'Save' : 'Save the new secret'}
      onSubmit={save}
    >
      <SecretField
        label={isFirst ? (provider?.secret.label ?? 'Secret') : 'New secret'}
        hint={provider && <MarkedText text={provider.secret.hint} />}
        error={fieldErrors(change.error).get(field)}
        required
        generate={isChosen ? newSigningSecret : undefined}
        value={fresh}
        onChange={setFresh}
      />
      {!isFirst && (
        <p className="aside">The gateway keeps the secret that it has, and accepts it until you remove it in step 4.</p>
      )}
    </ChangeForm>
  );
}
