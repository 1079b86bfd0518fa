import { v7 as uuidv7 } from 'uuid';
import type { z } from 'zod';
import type { Sql, Transactions } from '../database/sql.ts';
import type { backup } from './backup-schemas.ts';
import type { BackupProgress, MadeBackup } from './write-backup.ts';

/** A backup without a heartbeat of its worker for this long has failed. The worker sends one every two seconds. */
const silentFor = "interval '2 minutes'";
const silentError = 'its worker sent no heartbeat for two minutes';

/** A backup in the form of the list. */
export type ListedBackup = Omit<z.infer<typeof backup>, 'created_at'> & { created_at: Date };

const list = {
  name: 'list_backups',
  text: `
    select id, name, trigger, size_bytes::double precision as size_bytes, sha256, rows::double precision as rows, encrypted, key_id, created_at,
      case when silent then 'failed' else status end as status,
      case when silent then '${silentError}' else error end as error,
      (extract(epoch from finished_at - created_at) * 1000)::double precision as duration_ms,
      case when status = 'running' and not silent and all_tables is not null then jsonb_build_object(
        'rows', written_rows, 'bytes', written_bytes, 'tables', written_tables, 'all_tables', all_tables
      ) end as progress
    from (
      select *, status = 'running' and alive_at < now() - ${silentFor} as silent
      from backups order by created_at desc, id desc limit 1000
    ) newest
    order by created_at desc, id desc`,
};

/** Lists the backups, newest first, including the running one and those that failed recently. */
export async function listBackups(sql: Sql): Promise<ListedBackup[]> {
  const rows = await sql.query<ListedBackup>(list, []);
  return rows.map((row) => ({ ...row, duration_ms: row.duration_ms === null ? null : Math.round(row.duration_ms) }));
}

const failSilent = {
  name: 'fail_silent_backup',
  text: `
    update backups set status = 'failed', error = '${silentError}', finished_at = alive_at, alive_at = now()
    where status = 'running' and alive_at < now() - ${silentFor}`,
};
const insert = {
  name: 'begin_backup',
  text: `
    insert into backups (id, status, trigger, workflow_id) values ($1, 'running', $2, $3)
    on conflict do nothing returning id`,
};
const running = {
  name: 'running_backup_of_workflow',
  text: `select id from backups where status = 'running' and workflow_id = $1`,
};

/**
 * Inserts the row of a new backup in the caller's transaction. A concurrent call waits for the first one's commit.
 *
 * @returns false when another backup is running.
 */
export async function beginBackup(
  sql: Sql,
  begun: { id: string; trigger: 'schedule' | 'operator'; workflowId: string },
): Promise<boolean> {
  await sql.query(failSilent, []);
  return (await sql.query(insert, [begun.id, begun.trigger, begun.workflowId])).length === 1;
}

/**
 * Like `beginBackup`, for a scheduled run. A repeated call for the same workflow returns the id of the first call's
 * row.
 *
 * @returns the backup's id; null when another backup is running.
 */
export function beginScheduledBackup(database: Transactions, workflowId: string): Promise<string | null> {
  return database.transaction(async (sql) => {
    const [mine] = await sql.query<{ id: string }>(running, [workflowId]);
    if (mine) return mine.id;
    const id = uuidv7();
    return (await beginBackup(sql, { id, trigger: 'schedule', workflowId })) ? id : null;
  });
}

const alive = {
  name: 'backup_is_alive',
  text: `
    update backups set alive_at = now(), written_rows = $2, written_bytes = $3, written_tables = $4, all_tables = $5
    where id = $1 and status = 'running' returning id`,
};

/** Records a heartbeat with the progress, null at the beginning. Returns false when the backup is no longer running. */
export async function backupIsAlive(sql: Sql, id: string, progress: BackupProgress | null): Promise<boolean> {
  const { rows = null, bytes = null, tables = null, allTables = null } = progress ?? {};
  return (await sql.query(alive, [id, rows, bytes, tables, allTables])).length === 1;
}

const complete = {
  name: 'complete_backup',
  text: `
    update backups set status = 'completed', name = $2, size_bytes = $3, sha256 = $4, rows = $5, encrypted = $6, key_id = $7,
      error = null, finished_at = now()
    where id = $1 and status = 'running' returning id`,
};

/**
 * Marks a backup as completed. Returns false when it is no longer running: it failed, or another worker completed it.
 */
export async function completeBackup(sql: Sql, id: string, made: MadeBackup): Promise<boolean> {
  const { name, sizeBytes, sha256, rows, encrypted, keyId } = made;
  return (await sql.query(complete, [id, name, sizeBytes, sha256, rows, encrypted, keyId])).length === 1;
}

const read = {
  name: 'read_completed_backup',
  text: `
    select name, size_bytes::double precision as "sizeBytes", sha256, rows::double precision as rows, encrypted, key_id as "keyId"
    from backups where id = $1 and status = 'completed'`,
};

export async function readCompletedBackup(sql: Sql, id: string): Promise<MadeBackup | null> {
  return (await sql.query<MadeBackup>(read, [id]))[0] ?? null;
}

/** Since when backups are made. */
export interface BackupTimes {
  /** When the newest completed backup ended; null when there is none. */
  lastCompletedAt: Date | null;
  /** When the oldest listed backup began, whether it completed or not; null when none began within the last three days. */
  firstBegunAt: Date | null;
}

const readTimes = {
  name: 'read_backup_times',
  // Reads all rows: BACKUP_KEEP bounds the completed ones, 14 by default. Unverified files are not the gateway's own. Failed
  // rows stay until a backup completes. Backups run each night, so three days without a begun one mean that they were given up.
  text: `
    select max(finished_at) filter (where status = 'completed') as "lastCompletedAt",
      case when max(created_at) filter (where status <> 'unverified') > now() - interval '3 days'
        then min(created_at) filter (where status <> 'unverified') end as "firstBegunAt"
    from backups`,
};

export async function backupTimes(sql: Sql): Promise<BackupTimes> {
  const [times] = await sql.query<BackupTimes>(readTimes, []);
  return times ?? { lastCompletedAt: null, firstBegunAt: null };
}

const fail = {
  name: 'fail_backup',
  text: `
    update backups set status = 'failed', error = $2, finished_at = now(), alive_at = now()
    where id = $1 and status = 'running'`,
};

/** Marks a running backup as failed. @param error one sentence for operators */
export async function failBackup(sql: Sql, id: string, error: string): Promise<void> {
  await sql.query(fail, [id, error]);
}
