import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { answer, api } from '../../../api/client.ts';
import type { Account, Provider } from '../../../api/types.ts';
import { announce } from '../../../components/announce.ts';
import { Button, buttonClass } from '../../../components/button.tsx';
import { MarkedText } from '../../../components/marked-text.tsx';
import { Panel } from '../../../components/page.tsx';
import { submits } from '../../../components/submits.ts';
import { fieldErrors } from '../data/field-errors.ts';
import { newSigningSecret } from '../data/new-secret.ts';
import { accountsKey } from '../data/queries.ts';
import { configFields } from '../fields/config-schema.ts';
import { FormNotice, useFocusOnError } from '../fields/form-notice.tsx';
import { SecretField } from '../fields/secret-field.tsx';
import type { AccountSummary } from '../list/account-summary.ts';
import { accountOf, hasField } from './account-of-draft.ts';
import { addressToPaste } from './addresses.ts';
import { AtProvider } from './at-provider.tsx';
import { ConsumerChoice } from './consumer-choice.tsx';
import { type Draft, newDraft } from './defaults.ts';
import styles from './guide.module.css';
import { NameStep } from './name-step.tsx';
import { ProviderSettings } from './provider-settings.tsx';
import { type ProviderSteps, stepsOf } from './provider-steps.ts';

/** Name, secret and consumer of a new account, next to what to do at the provider. */
export function NewAccountForm(props: {
  provider: Provider;
  accounts: readonly AccountSummary[];
  onCreated(account: Account, draft: Draft): void;
}) {
  const { provider, accounts } = props;
  const fields = configFields(provider.config);
  const [draft, setDraft] = useState(() => newDraft(provider, fields, accounts));
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () => answer(api.accounts.post(accountOf(provider, draft))),
    gcTime: 0,
    onSuccess(account) {
      announce('The account was created.', 'good');
      void client.invalidateQueries({ queryKey: accountsKey });
      props.onCreated(account, draft);
    },
  });
  const form = useRef<HTMLFormElement>(null);
  useFocusOnError(form, create.error);
  const errors = fieldErrors(create.error);
  const steps = stepsOf(provider.name);
  return (
    <form ref={form} className={`panels ${styles.guide}`} onSubmit={submits(() => create.mutate())}>
      <NameStep
        provider={provider}
        draft={draft}
        appKeys={accounts.map(({ app_key }) => app_key)}
        errors={errors}
        onChange={set}
      />
      <div className={styles.provider}>
        <AtProvider provider={provider} address={addressToPaste(provider, draft.slug, draft.secret)} phase="before" />
      </div>
      <div className="panels">
        <Panel title={fields.length > 0 ? '2. Enter the secret and settings' : '2. Enter the secret'}>
          <div className="stack">
            <SecretField
              label={provider.secret.label}
              hint={secretHint(steps, provider)}
              error={errors.get('signing_secret_current')}
              required
              generate={steps.secret === 'shown' ? undefined : newSigningSecret}
              value={draft.secret}
              onChange={(secret) => set({ secret })}
            />
            <ProviderSettings
              fields={fields}
              preset={Object.keys(steps.config ?? {})}
              texts={draft.config}
              errors={errors}
              onChange={(config) => set({ config })}
            />
          </div>
        </Panel>
        <Panel title="3. Choose where events go">
          <ConsumerChoice draft={draft} trial={provider.trial_url} errors={errors} onChange={set} />
        </Panel>
        <FormNotice error={create.error} hasField={(path) => hasField(path, draft)} />
        <div className="buttons">
          <Button tone="main" type="submit" blocked={create.isPending}>
            {create.isPending ? 'Creating …' : 'Create account'}
          </Button>
          <Link to="/accounts" search={{ new: 'choose' }} className={buttonClass()}>
            Other provider
          </Link>
        </div>
      </div>
    </form>
  );
}

function secretHint(steps: ProviderSteps, { secret }: Provider) {
  if (steps.secret !== 'chosen') return <MarkedText text={secret.hint} />;
  return 'This one was generated just now; you may enter your own. It is shown once more after the account was created.';
}
