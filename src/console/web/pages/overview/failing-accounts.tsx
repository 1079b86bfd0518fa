import { AccountLink } from '../../components/account-name.tsx';
import { ProblemNotice } from '../../components/notice.tsx';
import { numberText, percentText } from '../../components/number-text.ts';
import { Panel, ScrollTable } from '../../components/page.tsx';
import { durationText } from '../../components/time-text.ts';
import { type RangeName, ranges } from './ranges.ts';
import { useFailingAccounts } from './use-overview.ts';

/** The accounts whose consumers fail most: what happened in the range, and not what is left of it. */
export function FailingAccounts({ range }: { range: RangeName }) {
  const { data, error, refetch } = useFailingAccounts(range);
  return (
    <Panel title="Accounts that fail most">
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {data?.accounts.length === 0 && <p className="aside">No failed attempt in {ranges[data.range].name}.</p>}
      {data && data.accounts.length > 0 && (
        <ScrollTable
          label={`Accounts that fail most in ${ranges[data.range].name}`}
          columns={['Account', 'Failed attempts', 'Exhausted', '95 % within']}
        >
          {data.accounts.map((account) => (
            <tr key={account.account_id}>
              <td>
                <AccountLink of={account} />
                {account.deleted && ' (deleted)'}
              </td>
              <td>
                {numberText(account.failed_attempts)} of {numberText(account.attempts)} (
                {percentText(account.failed_attempts / account.attempts)})
              </td>
              <td>{numberText(account.exhausted)}</td>
              <td>{account.duration_ms.p95 === null ? '–' : durationText(account.duration_ms.p95)}</td>
            </tr>
          ))}
        </ScrollTable>
      )}
    </Panel>
  );
}
