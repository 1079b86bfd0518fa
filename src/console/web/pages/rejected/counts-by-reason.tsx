import { useEffect } from 'react';
import type { Filters } from '../../api/filters.ts';
import { AccountLink } from '../../components/account-name.tsx';
import { MarkedText } from '../../components/marked-text.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemNotice } from '../../components/notice.tsx';
import { counted, numberText } from '../../components/number-text.ts';
import { Panel } from '../../components/page.tsx';
import { adviceOn } from '../../components/rejection-reasons.ts';
import { CheckAgain } from './check-again.tsx';
import styles from './rejected.module.css';
import { type RejectedGroup, useRejectedCounts } from './use-rejected-counts.ts';

/** Accounts that are shown of each reason. The filters lead to the others. */
const mostAccounts = 8;

/**
 * How many webhooks were rejected, by reason and account, with what to do about each reason.
 *
 * @param newest the newest rejected webhook of the list: with a new one the counts are read again.
 */
export function CountsByReason({ filters, newest }: { filters: Filters; newest: string | null }) {
  const { data, error, refetch } = useRejectedCounts(filters);
  const isBehind = data?.counted === 0 && newest !== null;
  useEffect(() => {
    if (isBehind) void refetch();
  }, [isBehind, refetch]);
  if (error && !data) return <ProblemNotice error={error} retry={() => void refetch()} />;
  if (!data || data.groups.length === 0) return null;
  const byReason = Map.groupBy(data.groups, ({ reason }) => reason);
  const total = (groups: readonly RejectedGroup[]) => groups.reduce((sum, { count }) => sum + count, 0);
  const sorted = [...byReason].sort(([, a], [, b]) => total(b) - total(a));
  return (
    <Panel title={`${data.complete ? '' : '≥ '}${counted(data.counted, 'rejected webhook')}: why, and what to do`}>
      <ul className="stack">
        {sorted.map(([reason, groups]) => (
          <li key={reason}>
            <p>
              <span className={styles.count}>{numberText(total(groups))}</span> <Advice reason={reason} />
            </p>
            <ul className={styles.accounts}>
              {groups.slice(0, mostAccounts).map((group) => (
                <Account key={group.account_id} group={group} />
              ))}
            </ul>
            {groups.length > mostAccounts && (
              <p className="aside">and {counted(groups.length - mostAccounts, 'other account')}</p>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** What happened, what to do, and the reason as the API calls it. */
function Advice({ reason }: { reason: string }) {
  const [what = '', ...steps] = (adviceOn(reason) ?? '').split(/(?<=\.) /);
  return (
    <>
      <strong>
        <MarkedText text={what} />
      </strong>{' '}
      <MarkedText text={steps.join(' ')} /> <code className="aside">{reason}</code>
    </>
  );
}

function Account({ group }: { group: RejectedGroup }) {
  return (
    <li className="line">
      <strong>{numberText(group.count)}</strong> <AccountLink of={group} />
      <span className="aside">
        newest <Moment iso={group.last_received_at} ago />
        {group.reason === 'stale_timestamp' && <>: {group.explanation}</>}
      </span>
      {group.not_checkable === null ? (
        <CheckAgain eventId={group.last_event_id} label="Check the newest again" />
      ) : (
        <span className="aside">Not to be checked again. {group.not_checkable_explanation}</span>
      )}
    </li>
  );
}
