import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Account, Provider } from '../../../api/types.ts';
import { ProblemNotice } from '../../../components/notice.tsx';
import { useAccounts } from '../data/queries.ts';
import { AccountCreated } from './account-created.tsx';
import type { Draft } from './defaults.ts';
import { NewAccountForm } from './new-account-form.tsx';

/** The guided start for one provider: the form, and then the wait for the first webhook of the created account. */
export function ProviderGuide({ provider, accountId }: { provider: Provider; accountId: string | undefined }) {
  const { data, error, refetch } = useAccounts();
  // The API does not show secrets again, so they stay here until the user leaves the guide.
  const [created, setCreated] = useState<{ id: string; draft: Draft } | null>(null);
  const navigate = useNavigate();
  const onCreated = ({ id }: Account, draft: Draft) => {
    setCreated({ id, draft });
    void navigate({ to: '/accounts', search: { new: provider.name, account: id }, replace: true });
  };
  if (accountId !== undefined) {
    const draft = created?.id === accountId ? created.draft : null;
    return <AccountCreated provider={provider} accountId={accountId} draft={draft} />;
  }
  if (data) return <NewAccountForm provider={provider} accounts={data} onCreated={onCreated} />;
  return error ? <ProblemNotice error={error} retry={() => void refetch()} /> : null;
}
