import { useEffect, useRef, useState } from 'react';
import type { Account, Provider } from '../../../api/types.ts';
import { Button } from '../../../components/button.tsx';
import { Check, Field } from '../../../components/field.tsx';
import { Notice } from '../../../components/notice.tsx';
import { useChangeAccount } from '../data/account-change.ts';
import { fieldErrors } from '../data/field-errors.ts';
import { ChangeForm } from '../fields/change-form.tsx';
import { ConfigFields } from '../fields/config-fields.tsx';
import { configFields } from '../fields/config-schema.ts';
import fieldStyles from '../fields/fields.module.css';
import { changeOf, draftOf, type EditDraft, hasField } from './edit-draft.ts';

type TextRow = [name: Exclude<keyof EditDraft, 'skip_signature_verification' | 'config'>, label: string, hint: string];

const texts: TextRow[] = [
  ['account_slug', 'Slug', 'The last part of the ingestion address.'],
  ['app_key', 'App key', 'Groups the accounts of one application.'],
  ['delivery_url', 'Delivery URL', 'Where events are posted to.'],
  ['project_delivery_url', 'Project delivery URL', 'Used when there is no delivery URL.'],
  ['org_id', 'Organization id', 'An id of your own.'],
  ['project_id', 'Project id', 'An id of your own.'],
];

/** The form of an account. It sends only what the user changed. */
export function EditAccount(props: { account: Account; provider: Provider | undefined; onDone(): void }) {
  const { account, provider, onDone } = props;
  const fields = configFields(provider?.config ?? {});
  // What the user saw at first: what colleagues change meanwhile is no change of this user.
  const [before] = useState(() => draftOf(account, fields));
  const [draft, setDraft] = useState(before);
  const change = useChangeAccount(account.id);
  const inputs = useRef<HTMLDivElement>(null);
  useEffect(() => inputs.current?.querySelector('input')?.focus(), []);
  const errors = fieldErrors(change.error);
  const save = () => {
    const changed = changeOf(before, draft, fields);
    if (Object.keys(changed).length === 0) return onDone();
    change.save(changed, 'The account was changed.', onDone);
  };
  const stored = Object.keys(account.provider_config ?? {}).flatMap((name) => /^has_(.+)/.exec(name)?.[1] ?? []);
  return (
    <ChangeForm
      change={change}
      hasField={hasField}
      submit={change.isPending ? 'Saving …' : 'Save'}
      onSubmit={save}
      buttons={<Button onClick={onDone}>Cancel</Button>}
    >
      <div ref={inputs} className={fieldStyles.pair}>
        {texts.map(([name, label, hint]) => (
          <Field
            key={name}
            label={label}
            hint={hint}
            error={errors.get(name)}
            required={name === 'account_slug' || name === 'app_key'}
            value={draft[name]}
            onChange={(value) => setDraft({ ...draft, [name]: value })}
          />
        ))}
        <ConfigFields
          fields={fields}
          texts={draft.config}
          stored={stored}
          errors={errors}
          onChange={(config) => setDraft({ ...draft, config })}
        />
      </div>
      {draft.account_slug !== before.account_slug && (
        <Notice tone="open">
          Another slug is another ingestion address. Webhooks to the old one are refused with 404 until you change it at
          the provider.
        </Notice>
      )}
      <Check
        label="Accept webhooks without checking their signature"
        hint="Anyone who knows the ingestion address can then send events. For tests only."
        checked={draft.skip_signature_verification}
        onChange={(skip_signature_verification) => setDraft({ ...draft, skip_signature_verification })}
      />
    </ChangeForm>
  );
}
