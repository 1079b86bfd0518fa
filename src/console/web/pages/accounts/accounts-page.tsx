import { useSearch } from '@tanstack/react-router';
import { NewAccount } from './guide/new-account.tsx';
import { AccountList } from './list/account-list.tsx';

/** The accounts; with `?new=<provider>` the guided start of a new one. `?new=choose` lets the user choose a provider. */
export function AccountsPage() {
  const { new: provider, account } = useSearch({ strict: false });
  if (provider === undefined) return <AccountList />;
  return <NewAccount key={provider} provider={provider} accountId={account} />;
}
