import type { Role } from './variable.ts';

/** Whether an operator runs this role on a single backup. */
export const readsBackups = (role: Role) => role === 'restore' || role === 'backup-sql';
/** Whether an operator starts this role and it ends by itself. */
export const isOneOff = (role: Role) => readsBackups(role) || role === 'reseal' || role === 'promote';

/**
 * The required settings that are missing for a role, one sentence for each. `all` has its own servers, key and token.
 * `restore` and `reseal` use those of `all` unless others are set, and `backup-sql` needs no server.
 */
export function missingFor(
  role: Role,
  env: Record<string, string | undefined>,
  temporal: { address: string | null },
): string[] {
  if (role === 'all' || isOneOff(role)) return [];
  const missing: string[] = [];
  if (!env.DATABASE_URL)
    missing.push(`DATABASE_URL: the role '${role}' needs a PostgreSQL (only 'npm start' brings its own)`);
  if (role === 'worker' && temporal.address === null)
    missing.push("TEMPORAL_ADDRESS: the role 'worker' needs a Temporal server");
  if (role === 'worker' && env.WORKER_QUEUES?.includes('backups') && !env.BACKUP_DIR && !env.BACKUP_URL)
    missing.push('BACKUP_DIR or BACKUP_URL: a worker with backups in WORKER_QUEUES needs a place for them');
  if (role !== 'migrate' && !env.SECRETS_KEY)
    missing.push(
      `SECRETS_KEY: the role '${role}' needs the key that all roles share; make one with: openssl rand -base64 32`,
    );
  if (role === 'api' && !env.ADMIN_TOKEN && !env.ADMIN_TOKENS)
    missing.push("ADMIN_TOKEN or ADMIN_TOKENS: the role 'api' needs a token for operators");
  return missing;
}
