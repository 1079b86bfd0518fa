import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ingestionAddress } from '../../../api/providers.ts';
import { useMay } from '../../../api/session.ts';
import type { Account, Provider } from '../../../api/types.ts';
import { Button } from '../../../components/button.tsx';
import { Moment } from '../../../components/moment.tsx';
import { Facts, Panel } from '../../../components/page.tsx';
import { ToCopy } from '../../../components/to-copy.tsx';
import { EditAccount } from './edit-account.tsx';

/** What is known of an account. Users with the role admin edit it in the same place. */
export function AccountFacts(props: {
  account: Account;
  provider: Provider | undefined;
  /** Whether the providers are read. Without the fields of its provider, the form would begin with empty ones. */
  canEdit: boolean;
}) {
  const { account, provider, canEdit } = props;
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
        mayAdmin &&
        canEdit && (
          <Button ref={edit} onClick={() => setIsEditing(true)}>
            Edit
          </Button>
        )
      }
    >
      <div className="stack">
        {provider && <ToCopy label="Ingestion address" text={ingestionAddress(provider, account.account_slug)} />}
        <Facts rows={factsOf(account, provider)} />
      </div>
    </Panel>
  );
}

const text = (value: string | null) => (value === null || value === '' ? null : <bdi>{value}</bdi>);

function factsOf(account: Account, provider: Provider | undefined): Record<string, ReactNode> {
  const { provider_config } = account;
  const config = Object.entries(provider_config ?? {}).map(([name, value]) => [
    name,
    name.startsWith('has_') ? 'Set' : text(String(value)),
  ]);
  return {
    Provider: provider?.title ?? account.provider,
    'App key': text(account.app_key),
    'Organization id': text(account.org_id),
    'Project id': text(account.project_id),
    'Delivery URL': text(account.delivery_url) ?? (account.project_delivery_url === null ? 'None' : null),
    'Project delivery URL': text(account.project_delivery_url),
    'Signature check': account.skip_signature_verification ? 'Off: every webhook is accepted' : 'On',
    ...Object.fromEntries(config),
    'Settings of the provider': provider_config === null ? 'They cannot be read with the key of this gateway' : null,
    Created: <Moment iso={account.created_at} />,
    Changed: <Moment iso={account.updated_at} />,
    Id: <code>{account.id}</code>,
  };
}
