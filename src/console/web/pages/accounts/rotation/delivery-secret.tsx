import { useRef, useState } from 'react';
import type { Account } from '../../../api/types.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ProblemNotice } from '../../../components/notice.tsx';
import { TestOutcome } from '../account/test-result.tsx';
import { useTestDelivery } from '../account/use-test-delivery.ts';
import { useChangeAccount } from '../data/account-change.ts';
import { fieldErrors } from '../data/field-errors.ts';
import { newDeliverySecret } from '../data/new-secret.ts';
import { ChangeForm } from '../fields/change-form.tsx';
import { SecretField } from '../fields/secret-field.tsx';
import { Step, Steps } from './steps.tsx';

/** The rotation of a secret that signs deliveries. The gateway uses one at a time; the service accepts both meanwhile. */
export function DeliverySecret(props: {
  account: Account;
  field: 'delivery_secret' | 'project_delivery_secret';
  onDone(): void;
}) {
  const { account, field, onDone } = props;
  const isFirst = useRef(!account[`has_${field}`]).current;
  const [secret, setSecret] = useState('');
  const [isSaved, setIsSaved] = useState(false);
  const [isAsked, setIsAsked] = useState(false);
  const change = useChangeAccount(account.id);
  const test = useTestDelivery(account.id);
  const save = () =>
    change.save({ [field]: secret }, 'The next delivery is signed with the new secret.', () => {
      setIsSaved(true);
      setSecret('');
    });
  const accepts = isFirst ? 'check signatures with it' : 'accept the old and the new secret';
  return (
    <Steps title={isFirst ? 'Sign deliveries' : 'Rotate without losing a delivery'} onClose={onDone}>
      <Step title="1. Make a new secret, and give it to your service" state={isSaved ? 'done' : 'now'}>
        <ChangeForm
          change={change}
          hasField={(path) => path === field}
          submit="Save the new secret"
          onSubmit={save}
          buttons={
            !isFirst && (
              <Button tone="danger" disabled={change.isPending} onClick={() => setIsAsked(true)}>
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
            Let your service {accepts}, and deploy it. Then save: the next attempt is signed with the new secret.
          </p>
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
      <Step title="2. Check that your service accepts it" state={isSaved ? 'now' : 'later'}>
        <p className="aside">A test delivery is signed with the new secret.</p>
        <div className="buttons">
          <Button disabled={test.isPending} onClick={() => test.mutate()}>
            {test.isPending ? 'Sending …' : 'Send test delivery'}
          </Button>
        </div>
        <div aria-live="polite">
          <TestOutcome result={test.isPending ? undefined : test.data} error={test.error} />
        </div>
      </Step>
      {!isFirst && (
        <Step title="3. Remove the old secret from your service" state={isSaved ? 'now' : 'later'}>
          <div className="buttons">
            <Button tone="main" onClick={onDone}>
              Finish
            </Button>
          </div>
        </Step>
      )}
    </Steps>
  );
}
