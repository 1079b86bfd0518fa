import { Link, useSearch } from '@tanstack/react-router';
import { useMay } from '../../../api/session.ts';
import { buttonClass } from '../../../components/button.tsx';
import { Empty, ProblemNotice } from '../../../components/notice.tsx';
import { counted } from '../../../components/number-text.ts';
import { Page, Panel } from '../../../components/page.tsx';
import { useAccounts } from '../data/queries.ts';
import { AccountFilters } from './account-filters.tsx';
import { AccountTable } from './account-table.tsx';
import { matches } from './matches.ts';
import { NoAccounts } from './no-accounts.tsx';

/** All accounts, with filters that stand in the address. */
export function AccountList() {
  const { data, error, refetch } = useAccounts();
  const { q, provider, app_key } = useSearch({ strict: false });
  const mayAdmin = useMay('admin');
  const found = data?.filter((account) => matches(account, { q, provider, app_key }));
  return (
    <Page
      title="Accounts"
      aside={data && data.length > 0 && <span className="aside">{counted(data.length, 'account')}</span>}
      actions={
        mayAdmin && (
          <Link to="/accounts" search={{ new: 'choose' }} className={buttonClass('main')}>
            New account
          </Link>
        )
      }
    >
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {data?.length === 0 && <NoAccounts />}
      {data && found && data.length > 0 && (
        <Panel>
          <AccountFilters accounts={data} />
          {found.length === 0 ? (
            <Empty title="No account matches these filters.">
              <Link to="/accounts" search={{}}>
                Show all accounts
              </Link>
            </Empty>
          ) : (
            <AccountTable accounts={found} />
          )}
        </Panel>
      )}
    </Page>
  );
}
