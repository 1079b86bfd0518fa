import { useEffect, useRef } from 'react';
import { useMay } from '../../../api/session.ts';
import type { Account, Provider } from '../../../api/types.ts';
import { Moment } from '../../../components/moment.tsx';
import { ProblemNotice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/page.tsx';
import { useSecretUses } from '../data/queries.ts';
import { DeliverySecret } from './delivery-secret.tsx';
import { SecretRow } from './secret-row.tsx';
import { SigningRotation } from './signing-rotation.tsx';
import { type Rotated, useRotation } from './use-rotation.ts';
import { UsesTable } from './uses-table.tsx';

/** The secrets of an account, which webhooks use them, and how each one is rotated. */
export function SecretsPanel({ account, provider }: { account: Account; provider: Provider | undefined }) {
  const { data: uses, error, refetch } = useSecretUses(account.id);
  const mayAdmin = useMay('admin');
  const rotation = useRotation();
  const { rotated, open, close } = rotation;
  const buttons = useRef(new Map<string, HTMLButtonElement>());
  const before = useRef(rotated);
  // When a rotation is closed, the focus returns to the button that opened it.
  useEffect(() => {
    if (rotated === null && before.current !== null) buttons.current.get(before.current)?.focus();
    before.current = rotated;
  }, [rotated]);
  const keep = (name: string) => (button: HTMLButtonElement | null) =>
    button ? void buttons.current.set(name, button) : void buttons.current.delete(name);
  const { has_project_delivery_secret, project_delivery_url } = account;
  const shown = mayAdmin ? rotated : null;
  const rowOf = (name: Rotated) => ({
    isOpen: shown === name,
    buttonRef: keep(name),
    onOpen: mayAdmin ? () => open(name) : undefined,
  });
  return (
    <Panel title="Secrets">
      <div>
        <SecretRow
          name={provider?.secret.label ?? 'Signing secret'}
          note={signingNote(account)}
          isSet={account.has_signing_secret_current}
          action={account.has_signing_secret_previous ? 'Continue the rotation' : undefined}
          {...rowOf('signing')}
        >
          {shown === 'signing' ? (
            <SigningRotation account={account} provider={provider} uses={uses} rotation={rotation} />
          ) : (
            uses && <UsesTable uses={uses} />
          )}
          {error && !uses && <ProblemNotice error={error} retry={() => void refetch()} />}
        </SecretRow>
        <SecretRow
          name="Delivery secret"
          note={
            <OutboundNote
              text="Signs the requests to your service."
              endsAt={account.delivery_secret_previous_expires_at}
            />
          }
          isSet={account.has_delivery_secret}
          {...rowOf('delivery')}
        >
          {shown === 'delivery' && <DeliverySecret account={account} field="delivery_secret" onDone={close} />}
        </SecretRow>
        {(has_project_delivery_secret || project_delivery_url !== null) && (
          <SecretRow
            name="Project delivery secret"
            note={
              <OutboundNote
                text="Signs the requests to the project delivery URL."
                endsAt={account.project_delivery_secret_previous_expires_at}
              />
            }
            isSet={has_project_delivery_secret}
            {...rowOf('project')}
          >
            {shown === 'project' && <DeliverySecret account={account} field="project_delivery_secret" onDone={close} />}
          </SecretRow>
        )}
      </div>
    </Panel>
  );
}

/** What a secret is for, and until when the one before signs, too. */
function OutboundNote({ text, endsAt }: { text: string; endsAt: string | null }) {
  return (
    <>
      {text}
      {endsAt !== null && (
        <>
          {' '}
          The one before signs, too, until <Moment iso={endsAt} />.
        </>
      )}
    </>
  );
}

function signingNote({ has_signing_secret_current, skip_signature_verification }: Account): string {
  if (skip_signature_verification) return 'Not used: the account accepts webhooks without checking their signature.';
  return has_signing_secret_current
    ? 'Verifies the webhooks of the provider.'
    : 'Without it, every webhook is rejected.';
}
