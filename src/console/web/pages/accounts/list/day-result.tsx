import { numberText } from '../../../components/number-text.ts';
import type { FailingAccounts } from './failing-accounts.ts';
import styles from './list.module.css';

/** How many attempts of an account failed in the last 24 hours. */
export function DayResult({ failing, accountId }: { failing: FailingAccounts; accountId: string }) {
  if (!failing) return <span className="aside">–</span>;
  const account = failing.byId.get(accountId);
  if (!account) return <span className="aside">{failing.complete ? 'none failed' : 'few or none failed'}</span>;
  const { attempts, failed_attempts, exhausted } = account;
  return (
    <span>
      <strong className={styles.failed}>{numberText(failed_attempts)}</strong> of {numberText(attempts)} failed
      {exhausted > 0 && <span className="aside">, {numberText(exhausted)} exhausted</span>}
    </span>
  );
}
