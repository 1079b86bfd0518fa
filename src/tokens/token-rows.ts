import { lockKeys } from '../database/lock-keys.ts';
import type { Sql } from '../database/sql.ts';
import type { TokenRole } from '../http/admin/roles.ts';

/** A stored token, without its hash. */
export interface TokenRow {
  id: string;
  name: string;
  role: TokenRole;
  app_key: string | null;
  account_id: string | null;
  expires_at: Date | null;
  created_by: string;
  created_at: Date;
  last_used_at: Date | null;
}

const columns = 'id, name, role, app_key, account_id, expires_at, created_by, created_at, last_used_at';
const isInForce = 'revoked_at is null and (expires_at is null or expires_at > now())';

const listTokens = {
  name: 'list_admin_tokens',
  text: `select ${columns} from admin_tokens where ${isInForce} order by name`,
};

/** The tokens in force, by name. */
export const listTokenRows = (sql: Sql): Promise<TokenRow[]> => sql.query<TokenRow>(listTokens, []);

const readHashes = {
  name: 'read_admin_token_hashes',
  text: `select hash, id, name, role, app_key, account_id, expires_at, last_used_at from admin_tokens where ${isInForce}`,
};

/** A token in force, as each process keeps it in memory. */
export type TokenInForce = Omit<TokenRow, 'created_by' | 'created_at'> & { hash: string };

export const readTokensInForce = (sql: Sql): Promise<TokenInForce[]> => sql.query<TokenInForce>(readHashes, []);

/** A token to store. */
export type NewToken = Pick<
  TokenRow,
  'id' | 'name' | 'role' | 'app_key' | 'account_id' | 'expires_at' | 'created_by'
> & {
  hash: string;
};

const freeName = {
  name: 'free_admin_token_name',
  text: 'update admin_tokens set revoked_at = expires_at where name = $1 and revoked_at is null and expires_at <= now()',
};
const insertToken = {
  name: 'insert_admin_token',
  text: `
    insert into admin_tokens (id, hash, name, role, app_key, account_id, expires_at, created_by) values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict (name) where revoked_at is null do nothing returning ${columns}`,
};

/** Stores a token; null if one in force has its name. @param sql must be in a transaction */
export async function insertTokenRow(sql: Sql, token: NewToken): Promise<TokenRow | null> {
  const { id, hash, name, role, app_key, account_id, expires_at, created_by } = token;
  await sql.query(freeName, [name]);
  const values = [id, hash, name, role, app_key, account_id, expires_at, created_by];
  return (await sql.query<TokenRow>(insertToken, values))[0] ?? null;
}

const lockTokens = { name: 'lock_admin_tokens', text: 'select pg_advisory_xact_lock($1)' };
const countTokens = {
  name: 'count_admin_tokens',
  text: `select count(*)::integer as n from admin_tokens where ${isInForce}`,
};

/**
 * How many tokens are in force. Waits for others that are being stored, so that the caller's transaction can check a limit.
 *
 * @param sql must be in a transaction
 */
export async function countTokenRows(sql: Sql): Promise<number> {
  await sql.query(lockTokens, [lockKeys.adminTokens]);
  return (await sql.query<{ n: number }>(countTokens, []))[0]?.n ?? 0;
}

const revokeToken = {
  name: 'revoke_admin_token',
  text: `update admin_tokens set revoked_at = now() where id = $1 and ${isInForce} returning name`,
};

/** Revokes a token. Returns its name; null if no token in force has this id. */
export async function revokeTokenRow(sql: Sql, id: string): Promise<string | null> {
  return (await sql.query<{ name: string }>(revokeToken, [id]))[0]?.name ?? null;
}

/** `last_used_at` is exact to ten minutes, so that a call rarely writes. */
export const usedForMs = 600_000;

// Other processes may have recorded it, too.
const markUsed = {
  name: 'mark_admin_tokens_used',
  text: `
    update admin_tokens set last_used_at = now()
    where id = any($1::uuid[]) and (last_used_at is null or last_used_at < now() - interval '${usedForMs} ms')`,
};

/** Records that tokens are in use, at most every ten minutes for each. */
export async function markTokensUsed(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.query(markUsed, [ids]);
}
