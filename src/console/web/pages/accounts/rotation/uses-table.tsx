import { Moment } from '../../../components/moment.tsx';
import { numberText } from '../../../components/number-text.ts';
import { TableHead } from '../../../components/page.tsx';
import styles from './rotation.module.css';
import type { SecretUses } from './secret-use.ts';
import type { NewPlace } from './use-rotation.ts';

/** How many webhooks each signing secret has verified since it was saved, and when last. */
export function UsesTable({ uses, newPlace }: { uses: SecretUses; newPlace?: NewPlace | undefined }) {
  const { current, previous, unsigned } = uses;
  const age = (place: NewPlace) => (newPlace === undefined ? '' : newPlace === place ? ' (new)' : ' (old)');
  const rows = [
    ...(current.set ? [[`Current${age('current')}`, current] as const] : []),
    ...(previous.set ? [[`Previous${age('previous')}`, previous] as const] : []),
    ...(unsigned.webhooks > 0 ? [['Without a check', unsigned] as const] : []),
  ];
  if (rows.length === 0) return null;
  return (
    <table className={styles.uses}>
      <TableHead columns={['Secret', 'Webhooks', 'Last used']} />
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
