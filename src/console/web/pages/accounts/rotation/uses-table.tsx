import { Moment } from '../../../components/moment.tsx';
import { numberText } from '../../../components/number-text.ts';
import { TableHead } from '../../../components/page.tsx';
import styles from './rotation.module.css';
import type { SecretUses } from './secret-use.ts';

/** How many webhooks each signing secret has verified since it was saved, how many were rejected, and when last. */
export function UsesTable({ uses }: { uses: SecretUses }) {
  const { current, previous, unsigned, rejected } = uses;
  const isRotating = previous.set;
  const refused = { webhooks: rejected.webhooks, last_used_at: rejected.last_received_at };
  const rows = [
    ...(current.set ? [[isRotating ? 'Current (new)' : 'Current', current] as const] : []),
    ...(previous.set ? [['Previous (old)', previous] as const] : []),
    ...(unsigned.webhooks > 0 ? [['Without a check', unsigned] as const] : []),
    ...(isRotating || rejected.webhooks > 0 ? [['Rejected', refused] as const] : []),
  ];
  if (rows.length === 0) return null;
  return (
    <table className={styles.uses}>
      <TableHead columns={['Secret', 'Webhooks', 'Last one']} />
      <tbody>
        {rows.map(([name, { webhooks, last_used_at }]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{numberText(webhooks)}</td>
            <td>{last_used_at === null ? 'never' : <Moment iso={last_used_at} ago />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
