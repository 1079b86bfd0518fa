import { useRef, useState } from 'react';
import type { Account } from '../../../api/types.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Moment } from '../../../components/moment.tsx';
import { Notice, ProblemNotice } from '../../../components/notice.tsx';
import { ToCopy } from '../../../components/to-copy.tsx';
import { TestOutcome } from '../account/test-result.tsx';
import { useTestDelivery } from '../account/use-test-delivery.ts';
import { useChangeAccount } from '../data/account-change.ts';
import { fieldErrors } from '../data/field-errors.ts';
import { newDeliverySecret } from '../data/new-secret.ts';
import { ChangeForm } from '../fields/change-form.tsx';
import { SecretField } from '../fields/secret-field.tsx';
import { Step, Steps } from './steps.tsx';
import { useLostSecret } from './use-lost-secret.ts';

/** The rotation of a secret that signs deliveries. Until its end, the stored one signs beside the new one. */
export function DeliverySecret(props: {
  account: Account;
  field: 'delivery_secret' | 'project_delivery_secret';
  onDone(): void;
}) {
  const { account, field, onDone } = props;
  const isFirst = useRef(!account[`has_${field}`]).current;
  const [secret, setSecret] = useState('');
  /** The account as of the rotation that was begun here. */
  const [saved, setSaved] = useState<Account | null>(null);
  const isSaved = saved !== null;
  const [isAsked, setIsAsked] = useState(false);
  const change = useChangeAccount(account.id);
  const test = useTestDelivery(account.id);
  const endsAt = account[`${field}_previous_expires_at`];
  const isChanged = change.isError && account[`has_${field}`] && (isFirst || endsAt !== null);
  const { lost, isUnknown } = useLostSecret(account, change, field, isChanged && !isSaved);
  // The account was read with a secret of this form.
  if (lost !== null && !isSaved) setSaved(account);
  // Before a secret was saved: there is one from a former rotation, which another rotation drops.
  const dropped = isSaved || isUnknown ? null : endsAt;
  const save = () =>
    change.save(
      { [field]: secret, ...(!isFirst && { rotate: true, ...(dropped !== null && { replace_previous: true }) }) },
      isFirst ? 'The next delivery is signed with the secret.' : 'Deliveries are signed with both secrets.',
      (changed) => {
        setSaved(changed);
        setSecret('');
      },
    );
  const endNow = () => {
    if (saved === null) return;
    // The next rotation, which a colleague may have begun, has another end. The old secret of that one is still in use.
    const { updated_at } = saved[`${field}_previous_expires_at`] === endsAt ? account : saved;
    change.save(
      { [`${field}_previous_expires_at`]: null, if_updated_at: updated_at },
      'The old secret signs no more.',
      onDone,
    );
  };
  return (
    <Steps title={isFirst ? 'Sign deliveries' : 'Rotate without losing a delivery'} onClose={onDone}>
      <Step title="1. Make a new secret, and save it" state={isSaved ? 'done' : 'now'}>
        <ChangeForm
          change={change}
          hasField={(path) => path === field}
          submit="Save the new secret"
          onSubmit={save}
          buttons={
            !isFirst && (
              <Button tone="danger" blocked={change.isPending} onClick={() => setIsAsked(true)}>
                Stop signing …
              </Button>
            )
          }
        >
          <SecretField
            label="New delivery secret"
            hint="Copy it: it is not shown after it was saved."
            error={fieldErrors(change.error).get(field)}
            required
            generate={newDeliverySecret}
            value={secret}
            onChange={setSecret}
          />
          <p className="aside">
            {isFirst
              ? 'Let your service check signatures with it, and deploy it. Then save: the next attempt is signed.'
              : 'Deliveries then carry the signatures of both secrets for 24 hours, so that your service accepts them with either.'}
          </p>
          {dropped !== null && (
            <Notice tone="bad">
              <span>
                A former secret signs until <Moment iso={dropped} />. It is dropped with this one.
              </span>
            </Notice>
          )}
        </ChangeForm>
        <ConfirmDialog
          open={isAsked}
          title="Stop signing deliveries?"
          confirm="Stop signing"
          tone="danger"
          busy={change.isPending}
          onClose={() => setIsAsked(false)}
          onConfirm={() => change.save({ [field]: null }, 'Deliveries are no longer signed.', onDone)}
        >
          <p>The secret is removed. A service that checks signatures then refuses all deliveries.</p>
          {change.error && <ProblemNotice error={change.error} />}
        </ConfirmDialog>
      </Step>
      <Step
        title={
          isFirst ? '2. Check that your service accepts it' : '2. Give it to your service, and check that it accepts it'
        }
        state={isSaved ? 'now' : 'later'}
      >
        <p className="aside">
          {isFirst ? 'A test delivery is signed with the secret.' : 'A test delivery carries both signatures, too.'}
        </p>
        {lost !== null && <ToCopy label="The new secret. It is not shown again." text={lost} />}
        <div className="buttons">
          <Button blocked={test.isPending} onClick={() => test.mutate()}>
            {test.isPending ? 'Sending …' : 'Send test delivery'}
          </Button>
        </div>
        <div aria-live="polite">
          <TestOutcome result={test.isPending ? undefined : test.data} error={test.error} />
        </div>
      </Step>
      {!isFirst && (
        <Step title="3. Let the old secret end" state={isSaved ? 'now' : 'later'}>
          {isSaved && endsAt !== null && (
            <p className="aside">
              It signs until <Moment iso={endsAt} />. End it when all of your service has the new one.
            </p>
          )}
          <div className="buttons">
            <Button tone="main" onClick={onDone}>
              Leave it until then
            </Button>
            <Button blocked={!isSaved || change.isPending} onClick={endNow}>
              End it now
            </Button>
          </div>
          {isSaved && change.error && <ProblemNotice error={change.error} />}
        </Step>
      )}
    </Steps>
  );
}
