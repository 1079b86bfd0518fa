import { Link } from '@tanstack/react-router';
import { AccountLink } from '../../components/account-name.tsx';
import { Empty, ProblemNotice } from '../../components/notice.tsx';
import { numberText, percentText } from '../../components/number-text.ts';
import { Panel, ScrollTable } from '../../components/page.tsx';
import { durationText } from '../../components/time-text.ts';
import { type RangeName, ranges } from './ranges.ts';
import { useFailingAccounts } from './use-overview.ts';

/** The accounts whose consumers fail most. */
export function FailingAccounts({ range }: { range: RangeName }) {
  const { data, error, refetch } = useFailingAccounts(range);
  const title = `Accounts that fail most in ${ranges[range].name}`;
  return (
    <Panel title="Accounts that fail most">
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {data?.length === 0 && <Empty title={`No failed attempt in ${ranges[range].name}.`} />}
      {data && data.length > 0 && (
        <ScrollTable label={title} columns={['Account', 'Failed attempts', 'Given up', '95 % within']}>
          {data.map((account) => (
            <tr key={account.account_id}>
              <td>
                <AccountLink of={account} />
                {account.deleted && ' (deleted)'}
              </td>
              <td>
                <Link to="/events" search={{ provider: account.provider, account_slug: account.account_slug }}>
                  {numberText(account.failed_attempts)}
                </Link>{' '}
                of {numberText(account.attempts)} ({percentText(account.failed_attempts / account.attempts)})
              </td>
              <td>
                <Link
                  to="/events"
                  search={{
                    provider: account.provider,
                    account_slug: account.account_slug,
                    delivery_status: 'failed',
                  }}
                >
                  {numberText(account.exhausted)}
                </Link>
              </td>
              <td>{account.duration_ms.p95 === null ? '–' : durationText(account.duration_ms.p95)}</td>
            </tr>
          ))}
        </ScrollTable>
      )}
    </Panel>
  );
}
