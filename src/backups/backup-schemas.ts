import { z } from 'zod';
import { count, id, text, timestamp } from '../http/admin/schemas/common.ts';

const backupId = '01a1fb5c-32dd-7658-a59f-f1f2e11f4782';

/** One backup of the gateway's database (R74). */
export const backup = z
  .object({
    id,
    name: text.nullable().meta({ description: 'File name; `null` until the backup is complete' }),
    status: z.enum(['running', 'completed', 'failed', 'unverified']).meta({
      description:
        '`unverified`: a file in the backup store without a valid signature. It may not come from this gateway, so a restore requires `--unverified`. It does not count towards `BACKUP_KEEP` and is never deleted',
    }),
    trigger: z.enum(['schedule', 'operator']).nullable().meta({
      description:
        'What started the backup; `null`: its file was found in the backup store, for example after a restore',
    }),
    size_bytes: count.nullable(),
    sha256: text.nullable().meta({ description: 'SHA-256 of the file, in hexadecimal' }),
    rows: count.nullable().meta({ description: 'Number of rows in all tables' }),
    encrypted: z
      .boolean()
      .nullable()
      .meta({ description: '`null` until the backup is complete, and for unverified files' }),
    key_id: text.nullable().meta({
      description:
        'Id of the SECRETS_KEY that the backup was made with. The backup cannot be restored without that key',
    }),
    created_at: timestamp,
    duration_ms: count.nullable(),
    progress: z.object({ rows: count, bytes: count, tables: count, all_tables: count }).nullable().meta({
      description:
        'How far a running backup is, every two seconds: rows and bytes written, and how many of all tables are complete; `null` for other backups, and at the beginning',
    }),
    error: text.nullable().meta({ description: 'Why the backup failed or is unverified' }),
  })
  .meta({
    id: 'Backup',
    examples: [
      {
        id: backupId,
        name: `gateway-20261120T023041Z-${backupId}.sql.gz.enc`,
        status: 'completed',
        trigger: 'schedule',
        size_bytes: 52_428_800,
        sha256: '5f'.repeat(32),
        rows: 1_200_345,
        encrypted: true,
        key_id: '3f9c01ab',
        created_at: '2026-11-20T02:30:41.000Z',
        duration_ms: 41_250,
        progress: null,
        error: null,
      },
    ],
  });

export const triggeredBackup = z
  .object({ id, workflow_id: text.meta({ description: 'Id of the Temporal workflow that makes the backup' }) })
  .meta({ id: 'TriggeredBackup', examples: [{ id: backupId, workflow_id: `backup-${backupId}` }] });
