import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { announce } from '../../../components/announce.ts';
import { Button } from '../../../components/button.tsx';
import { Check, Field } from '../../../components/field.tsx';
import { Moment } from '../../../components/moment.tsx';
import { submits } from '../../../components/submits.ts';
import { fieldErrors } from '../data/field-errors.ts';
import { newDeliverySecret } from '../data/new-secret.ts';
import { FormNotice, useFocusOnError } from '../fields/form-notice.tsx';
import { SecretField } from '../fields/secret-field.tsx';
import { ConditionField } from './condition-field.tsx';
import { type Consumer, defaultName } from './consumer-types.ts';
import styles from './consumers.module.css';
import { deliveryDraftOf } from './delivery-draft.ts';
import { DeliveryFields } from './delivery-fields.tsx';
import { changeOf, type Draft, draftOf, hasField, newConsumer } from './draft.ts';
import { useSaveConsumer } from './use-consumers.ts';

interface FieldsProps {
  draft: Draft;
  stored: Consumer | null;
  errors: ReadonlyMap<string, string>;
  change(part: Partial<Draft>): void;
}

/**
 * Adds a consumer, or changes the stored one.
 *
 * @param onDone called with the saved consumer, or with null when the user cancels.
 */
export function ConsumerForm(props: {
  accountId: string;
  stored: Consumer | null;
  onDone(saved: Consumer | null): void;
}) {
  const { accountId, stored, onDone } = props;
  // What the user saw at first: what colleagues change meanwhile is no change of this user.
  const [before] = useState(stored);
  const [draft, setDraft] = useState(() => draftOf(before));
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
  const form = useRef<HTMLFormElement>(null);
  const save = useSaveConsumer(accountId);
  const errors = fieldErrors(save.error);
  useFocusOnError(form, save.error);
  useEffect(() => form.current?.querySelector<HTMLElement>('input')?.focus(), []);
  const submit = () => {
    const changed = before && changeOf(before, draft);
    if (changed && Object.keys(changed).length === 0) return onDone(null);
    const body = changed ? { name: before.name, change: changed } : { create: newConsumer(draft) };
    save.mutate(body, {
      onSuccess(saved) {
        announce(before ? `${saved.name} was changed.` : `${saved.name} was added.`, 'good');
        onDone(saved);
      },
    });
  };
  return (
    <form
      ref={form}
      className={`stack inset ${styles.form}`}
      aria-label={before ? `Edit ${before.name}` : 'New consumer'}
      onSubmit={submits(submit)}
    >
      <div className={styles.columns}>
        <div className="stack">
          {before?.name === defaultName ? <OfAccount /> : <Target {...{ draft, stored: before, errors, change }} />}
          <Check
            label="Enabled"
            hint="A disabled consumer gets no new webhooks. Its events that wait fail after seven days."
            checked={draft.enabled}
            onChange={(enabled) => change({ enabled })}
          />
        </div>
        <ConditionField
          accountId={accountId}
          label="Condition"
          initial={draft.condition}
          error={errors.get('condition')}
          onChange={(condition) => change({ condition })}
        />
      </div>
      <DeliveryFields
        draft={draft.delivery}
        stored={deliveryDraftOf(before)}
        errors={errors}
        change={(part) => change({ delivery: { ...draft.delivery, ...part } })}
      />
      <FormNotice error={save.error} hasField={hasField} />
      <div className="buttons">
        <Button tone="main" type="submit" blocked={save.isPending}>
          {save.isPending ? 'Saving …' : before ? 'Save changes' : 'Create consumer'}
        </Button>
        <Button onClick={() => onDone(null)}>Cancel</Button>
      </div>
    </form>
  );
}

/** Where `default` has its URL and secret. */
function OfAccount() {
  return (
    <p className="aside">
      URL and secret of <code>{defaultName}</code> are those of the account:{' '}
      <Link to="." search={true} hash="account">
        edit the account
      </Link>{' '}
      to change them.
    </p>
  );
}

function Target({ draft, stored, errors, change }: FieldsProps) {
  return (
    <>
      <Field
        label="Name"
        hint="Small letters, digits and hyphens. Deliveries carry it in x-webhook-consumer."
        error={errors.get('name')}
        required
        maxLength={40}
        placeholder="billing"
        value={draft.name}
        onChange={(name) => change({ name })}
      />
      <Field
        label="URL"
        hint="Where its events are posted to."
        error={errors.get('url')}
        required
        inputMode="url"
        placeholder="https://billing.example/hook"
        value={draft.url}
        onChange={(url) => change({ url })}
      />
      {!draft.removesSecret && (
        <SecretField
          label="Secret"
          hint="Signs its deliveries. Copy it: it is not shown after it was saved."
          error={errors.get('secret')}
          generate={newDeliverySecret}
          placeholder={stored?.has_secret ? 'Set; leave empty to keep it' : 'None: not signed'}
          value={draft.secret}
          onChange={(secret) => change({ secret })}
        />
      )}
      {stored?.has_secret && draft.secret !== '' && (
        <Check
          label="Sign with the present secret, too, for 24 hours"
          hint={
            stored.secret_previous_expires_at === null ? (
              'Deliveries carry both signatures, so that its service accepts them with either.'
            ) : (
              <>
                A former secret, which signs until <Moment iso={stored.secret_previous_expires_at} />, is dropped.
              </>
            )
          }
          checked={draft.rotates}
          onChange={(rotates) => change({ rotates })}
        />
      )}
      {stored?.has_secret && (
        <Check
          label="Remove the secret"
          hint="Its deliveries are no longer signed."
          checked={draft.removesSecret}
          onChange={(removesSecret) => change({ removesSecret, secret: '' })}
        />
      )}
    </>
  );
}
