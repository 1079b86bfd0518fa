import { randomUUID } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { StartError } from '../shared/start-error.ts';
import type { Keyring } from './keyring.ts';
import { createSecretBox } from './secret-box.ts';

const page = 'docs/changing-secrets-key.md';

/** A key that has encrypted values in this database: a row of the table `secrets_keys`. */
export interface KnownKey {
  id: string;
  registered_at: Date;
  /** Null while values may be encrypted with it. */
  retired_at: Date | null;
}

interface KeyRow extends KnownKey {
  check_value: Buffer | null;
}

const readKeys = {
  name: 'read_secrets_keys',
  text: 'select id, registered_at, retired_at, check_value from secrets_keys order by registered_at, id',
};
const registerKey = {
  name: 'register_secrets_key',
  text: 'insert into secrets_keys (id, check_value) values ($1, $2)',
};
// Serializes concurrent registrations. Writers, which only read the table, do not wait.
const lockKeys = { name: 'lock_secrets_keys', text: 'lock table secrets_keys in share row exclusive mode' };

const placeOf = (id: string) => ({ accountId: 'gateway', field: `secrets_key_check.${id}` });

/** All keys of this database, in the order of their registration. */
export function readKnownKeys(sql: Sql): Promise<KnownKey[]> {
  return sql.query<KeyRow>(readKeys, []);
}

/**
 * Checks that this process can decrypt all values that other processes have encrypted. With a missing key, verification
 * and signing would fail for single accounts, without a clear error.
 *
 * @throws StartError when a key in use is not in the keyring, or when the current key was retired.
 */
export async function checkKeyring(sql: Sql, keyring: Keyring): Promise<void> {
  refuseUnknown(await sql.query<KeyRow>(readKeys, []), keyring);
}

/**
 * Checks the keyring and registers its current key as in use, so that every process that starts later must have it.
 *
 * @throws StartError for the same reasons as `checkKeyring`; nothing is registered then.
 */
export async function registerKeyring(database: Database, keyring: Keyring): Promise<void> {
  const rows = await database.query<KeyRow>(readKeys, []);
  if (!isMissing(rows, keyring)) return refuseUnknown(rows, keyring);
  await database.transaction(async (sql) => {
    await sql.query(lockKeys, []);
    const now = await sql.query<KeyRow>(readKeys, []);
    refuseUnknown(now, keyring);
    const { id } = keyring.current;
    if (isMissing(now, keyring))
      await sql.query(registerKey, [id, createSecretBox(keyring).seal(randomUUID(), placeOf(id))]);
  });
}

const isMissing = (rows: KeyRow[], keyring: Keyring) => !rows.some(({ id }) => id === keyring.current.id);

function refuseUnknown(rows: KeyRow[], keyring: Keyring): void {
  const retired = rows.find(({ id, retired_at: at }) => at !== null && id === keyring.current.id);
  if (retired)
    throw new StartError(
      `SECRETS_KEY is not the key that the secrets in this database are encrypted with: it (key ${retired.id}) was replaced at ` +
        `${retired.retired_at?.toISOString()}. Set the one that replaced it; a key that was replaced cannot be used again (${page}).`,
    );
  const box = createSecretBox(keyring);
  const inUse = rows.filter(({ retired_at: at }) => at === null);
  const unknown = inUse.filter(({ id, check_value: check }) => check === null || box.open(check, placeOf(id)) === null);
  if (unknown.length === 0) return;
  const names = unknown.map(({ id }) => id).join(' and ');
  const ours = keyring.previous
    ? `SECRETS_KEY (key ${keyring.current.id}) and SECRETS_KEY_PREVIOUS (key ${keyring.previous.id})`
    : `SECRETS_KEY (key ${keyring.current.id})`;
  if (unknown.length === inUse.length)
    throw new StartError(
      `SECRETS_KEY is not the key that the secrets in this database were encrypted with: they need key ${names}, and ${ours} ` +
        'cannot open them. Set the one that was used before: without it no webhook can be verified and no delivery signed. ' +
        `To go on with a new key, set SECRETS_KEY_PREVIOUS to the one that was used before (${page}).`,
    );
  throw new StartError(
    `A part of the secrets in this database is encrypted with key ${names}, which ${ours} cannot open: another process uses it ` +
      `as its SECRETS_KEY. Set SECRETS_KEY_PREVIOUS to it, until \`npm run reseal\` says that one key is enough (${page}).`,
  );
}
