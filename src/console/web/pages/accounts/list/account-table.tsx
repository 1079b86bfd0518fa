import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type Incident, openStates, useIncidents } from '../../../api/incidents.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { numberText } from '../../../components/number-text.ts';
import { type Column, ScrollTable } from '../../../components/page.tsx';
import { useRowKeys } from '../../../components/use-row-keys.ts';
import { AccountState } from './account-state.tsx';
import type { AccountSummary } from './account-summary.ts';
import { DayResult } from './day-result.tsx';
import { useFailingAccounts } from './failing-accounts.ts';
import styles from './list.module.css';

/** More rows at a time slow the page down; filters find the others. */
const step = 200;

const columns: readonly Column[] = [
  'Account',
  ['Provider', 'wide-only'],
  ['App key', 'wide-only'],
  'State',
  ['Attempts, last 24 h', 'wide-only'],
  ['Delivery URL', styles.widest],
];

/** Accounts as rows. `j` and `k` move between them. */
export function AccountTable({ accounts }: { accounts: readonly AccountSummary[] }) {
  const [most, setMost] = useState(step);
  const failing = useFailingAccounts();
  const { data: incidents = [] } = useIncidents({ state: openStates, limit: 1_000 });
  const byAccount = new Map(incidents.map((incident) => [incident.account_id, incident]));
  const body = useRef<HTMLTableSectionElement>(null);
  useRowKeys({
    move(by) {
      const links = [...(body.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
      const at = links.indexOf(document.activeElement as HTMLElement);
      links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
    },
  });
  const shown = accounts.slice(0, most);
  const more = Math.min(step, accounts.length - shown.length);
  return (
    <>
      <ScrollTable label="Accounts" columns={columns} ref={body}>
        {shown.map((account) => (
          <tr key={account.id}>
            <td>
              <Link to="/accounts/$accountId" params={{ accountId: account.id }} className={styles.name} data-row="">
                <bdi>{account.account_slug}</bdi>
              </Link>
              <span className="narrow-only">
                {account.provider} · <bdi>{account.app_key}</bdi>
              </span>
            </td>
            <td className="wide-only">{account.provider}</td>
            <td className="wide-only">
              <bdi>{account.app_key}</bdi>
            </td>
            <td>
              <Failing incident={byAccount.get(account.id)} />
              <AccountState account={account} />
            </td>
            <td className="wide-only">
              <DayResult failing={failing} accountId={account.id} />
            </td>
            <td className={styles.widest}>
              <bdi className={styles.url}>{account.delivery_url ?? '–'}</bdi>
            </td>
          </tr>
        ))}
      </ScrollTable>
      {more > 0 && (
        <Button onClick={() => setMost(most + step)}>
          Show {numberText(more)} more of {numberText(accounts.length)}
        </Button>
      )}
    </>
  );
}

/** Whether an incident of the account is open, as a link to it. */
function Failing({ incident }: { incident: Incident | undefined }) {
  if (!incident) return null;
  return (
    <Link to="/incidents/$incidentId" params={{ incidentId: incident.id }} className={styles.incident}>
      <Badge state="failed" label={incident.kind === 'rejections' ? 'rejecting' : 'failing'} />
    </Link>
  );
}
