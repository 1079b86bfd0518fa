import { Elysia } from 'elysia';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { AdminCalls } from '../audit/admin-calls.ts';
import type { Database } from '../database/database.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { askEngine } from '../maintenance/ask-engine.ts';
import type { Maintenance } from '../maintenance/maintenance.ts';
import type { Log } from '../shared/log.ts';
import { beginBackup, failBackup, listBackups } from './backup-rows.ts';
import * as schemas from './backup-schemas.ts';

/** `/admin/backups` (R74). */
export function backupRoutes(deps: {
  database: Database;
  maintenance: Maintenance | null;
  calls: AdminCalls;
  log: Log;
}) {
  const { database, calls } = deps;
  return new Elysia({ name: 'backups', prefix: '/backups' })
    .get(
      '/',
      async () => {
        const backups = await listBackups(database.reader);
        return backups.map((backup) => ({ ...backup, created_at: backup.created_at.toISOString() }));
      },
      operation('backup.list', {
        role: 'read',
        summary: 'List backups',
        description:
          'Newest first, including a running backup and backups that failed in the last 30 days. A backup can be restored only with the SECRETS_KEY that `key_id` identifies: keep that key in a different place from the backups. Each new backup also compares this list with the files in the backup store.',
        body: noBody,
        query: noQuery,
        success: { 200: z.array(schemas.backup) },
      }),
    )
    .post(
      '/trigger',
      async ({ request, set }) => {
        const call = calls.of(request);
        const id = uuidv7();
        const workflowId = `backup-${id}`;
        await database.transaction(async (sql) => {
          if (!(await beginBackup(sql, { id, trigger: 'operator', workflowId })))
            throw new Problem('conflict', 'another backup is already running');
          await call.record(sql, 'backup.trigger', { status: 202, backup_id: id, workflow_id: workflowId });
        });
        try {
          await askEngine(deps, (maintenance) => maintenance.startBackup({ id, workflowId }));
        } catch (error) {
          call.note({ backup_id: id });
          const reason =
            error instanceof Problem ? error.message : 'the backup could not be started; see the log for the reason';
          await failBackup(database, id, reason);
          throw error;
        }
        set.status = 202;
        return { id, workflow_id: workflowId };
      },
      operation('backup.trigger', {
        role: 'admin',
        summary: 'Start a backup',
        description: 'Only one backup runs at a time. It is in the list at once, with the status `running`.',
        body: noBody,
        query: noQuery,
        success: { 202: schemas.triggeredBackup },
        answers: 'The backup was started',
        errors: ['conflict', 'engine_unavailable'],
      }),
    );
}
