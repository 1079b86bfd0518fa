import type { Keyring } from '../secrets/keyring.ts';
import type { KnownKey } from '../secrets/known-keys.ts';
import type { countByKey } from '../secrets/reseal.ts';
import { type KeyChange, totalOf } from './change-key.ts';

/** The most rows of a column that are listed; further rows are only counted. */
const namedRows = 5;

/** The state of the stored keys and values, for `npm run reseal -- --check`. */
export interface KeyState {
  known: KnownKey[];
  counts: Awaited<ReturnType<typeof countByKey>>;
}

/** Lists the keys of the database, and the number of values that each of them has encrypted. */
export function stateText(keyring: Keyring, { known, counts }: KeyState): string {
  const roleOf = (id: string) =>
    id === keyring.current.id ? 'SECRETS_KEY' : id === keyring.previous?.id ? 'SECRETS_KEY_PREVIOUS' : 'not set here';
  const keys = known.map(({ id, registered_at: since, retired_at: until }) =>
    until === null
      ? `  ${id}  in use since ${since.toISOString()} (${roleOf(id)})`
      : `  ${id}  retired at ${until.toISOString()}`,
  );
  const width = Math.max(...counts.map(({ column }) => column.length), 0);
  const values = counts.map(
    ({ column, keyId, boxes }) => `  ${column.padEnd(width)}  ${keyId ?? 'no key  '}  ${boxes}`,
  );
  return [
    'Keys:',
    ...(keys.length > 0 ? keys : ['  none: nothing was sealed yet']),
    '',
    'Sealed values, by the key that they name:',
    ...(values.length > 0 ? values : ['  none']),
    '',
  ].join('\n');
}

/** The reasons why the current key alone is not enough; empty when the change of the key is complete. */
export function whatIsLeft(keyring: Keyring, { known, counts }: KeyState): string[] {
  const left = counts
    .filter(({ keyId }) => keyId !== keyring.current.id)
    .map(({ column, keyId, boxes }) => `${boxes} in ${column} ${keyId === null ? 'name no key' : `name key ${keyId}`}`);
  const inUse = known.filter(({ id, retired_at: at }) => at === null && id !== keyring.current.id);
  return [...left, ...inUse.map(({ id }) => `key ${id} is still in use, also for the audit log`)];
}

/** The result of changing the key, as text for operators. */
export function changeText(keyring: Keyring, { byColumn, unreadable, blocked }: KeyChange): string {
  const lines = [`${totalOf({ byColumn })} values were sealed again with key ${keyring.current.id}.`];
  for (const [column, rows] of Map.groupBy(unreadable, ({ column }) => column)) {
    lines.push(`${rows.length} in ${column} could not be opened:`);
    for (const { row, why, keyId } of rows.slice(0, namedRows))
      lines.push(`  ${row}: ${why}${keyId === null ? '' : ` ${keyId}`}`);
    if (rows.length > namedRows) lines.push(`  and ${rows.length - namedRows} more`);
  }
  if (blocked !== null) lines.push(`Key ${keyring.previous?.id} cannot be retired: ${blocked}`);
  return lines.join('\n');
}
