import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useMay } from '../../../api/session.ts';
import type { Account, Provider } from '../../../api/types.ts';
import { Button } from '../../../components/button.tsx';
import { Moment } from '../../../components/moment.tsx';
import { Facts, Panel } from '../../../components/page.tsx';
import { ingestionAddress } from '../data/queries.ts';
import { ToCopy } from '../guide/step-text.tsx';
import styles from './account.module.css';
import { EditAccount } from './edit-account.tsx';

/** What is known of an account. Users with the role admin edit it in the same place. */
export function AccountFacts({ account, provider }: { account: Account; provider: Provider | undefined }) {
  const mayAdmin = useMay('admin');
  const [isEditing, setIsEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !isEditing) edit.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  if (isEditing)
    return (
      <Panel title="Edit the account">
        <EditAccount account={account} provider={provider} onDone={() => setIsEditing(false)} />
      </Panel>
    );
  return (
    <Panel
      title="Account"
      actions={
        mayAdmin && (
          <Button ref={edit} onClick={() => setIsEditing(true)}>
            Edit
          </Button>
        )
      }
    >
      <div className={styles.stack}>
        {provider && <ToCopy label="Ingestion address" text={ingestionAddress(provider, account.account_slug)} />}
        <Facts rows={factsOf(account, provider)} />
      </div>
    </Panel>
  );
}

const text = (value: string | null) => (value === null || value === '' ? null : <bdi>{value}</bdi>);

function factsOf(account: Account, provider: Provider | undefined): [string, ReactNode][] {
  const { provider_config } = account;
  return [
    ['Provider', provider?.title ?? account.provider],
    ['App key', text(account.app_key)],
    ['Organization id', text(account.org_id)],
    ['Project id', text(account.project_id)],
    ['Delivery URL', text(account.delivery_url) ?? (account.project_delivery_url === null ? 'None' : null)],
    ['Project delivery URL', text(account.project_delivery_url)],
    ['Signature check', account.skip_signature_verification ? 'Off: every webhook is accepted' : 'On'],
    ...Object.entries(provider_config ?? {}).map(([name, value]): [string, ReactNode] => [
      name,
      name.startsWith('has_') ? 'Set' : text(String(value)),
    ]),
    ['Settings of the provider', provider_config === null ? 'They cannot be read with the key of this gateway' : null],
    ['Created', <Moment key="created" iso={account.created_at} />],
    ['Changed', <Moment key="changed" iso={account.updated_at} />],
    ['Id', <code key="id">{account.id}</code>],
  ];
}
