import { useQuery } from '@tanstack/react-query';
import { accountsQuery } from '../../api/accounts.ts';
import { Moment } from '../../components/moment.tsx';
import { type Column, ScrollTable } from '../../components/page.tsx';
import { RevokeToken } from './revoke-token.tsx';
import styles from './tokens.module.css';
import type { StoredToken } from './use-tokens.ts';

const columns: readonly Column[] = [
  'Name',
  ['Role', 'wide-only'],
  ['Sees', 'wide-only'],
  ['Ends', 'wide-only'],
  ['Last used', 'wide-only'],
  ['Created', styles.widest],
  [
    <span key="revoke" className="visually-hidden">
      Revoke
    </span>,
    undefined,
  ],
];

/** The tokens in force. */
export function TokenList({ tokens }: { tokens: readonly StoredToken[] }) {
  const { data: accounts = [] } = useQuery(accountsQuery);
  const sees = (scope: StoredToken['scope']) => {
    if (scope === null) return 'everything';
    if ('app_key' in scope) return scope.app_key;
    const account = accounts.find(({ id }) => id === scope.account_id);
    return account ? `${account.provider}/${account.account_slug}` : scope.account_id;
  };
  return (
    <ScrollTable label="Tokens" columns={columns}>
      {tokens.map((token) => (
        <tr key={token.id}>
          <td>
            <strong>{token.name}</strong>
            <span className="narrow-only">
              {token.role} · <bdi>{sees(token.scope)}</bdi>
            </span>
            <span className="narrow-only">
              ends <Time iso={token.expires_at} /> · used <Time iso={token.last_used_at} />
            </span>
          </td>
          <td className="wide-only">{token.role}</td>
          <td className="wide-only">
            <bdi>{sees(token.scope)}</bdi>
          </td>
          <td className="wide-only">
            <Time iso={token.expires_at} />
          </td>
          <td className="wide-only">
            <Time iso={token.last_used_at} />
          </td>
          <td className={styles.widest}>
            <Moment iso={token.created_at} /> by {token.created_by}
          </td>
          <td className={styles.action}>
            <RevokeToken token={token} />
          </td>
        </tr>
      ))}
    </ScrollTable>
  );
}

const Time = ({ iso }: { iso: string | null }) => (iso === null ? 'never' : <Moment iso={iso} ago />);
