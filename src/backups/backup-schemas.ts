import { z } from 'zod';
import { count, id, text, timestamp } from '../http/admin/schemas/common.ts';

const backupId = '01a1fb5c-32dd-7658-a59f-f1f2e11f4782';

/** One backup of the gateway's database (R74). */
export const backup = z
  .object({
    id,
    name: text.nullable().meta({ description: 'Of its file; null until it is complete' }),
    status: z.enum(['running', 'completed', 'failed', 'unverified']).meta({
      description:
        'unverified: a file among the backups whose signature does not hold, so others may have made it; it is not restored without an option, does not count, and is never deleted',
    }),
    trigger: z
      .enum(['schedule', 'operator'])
      .nullable()
      .meta({ description: 'Who asked for it; null: its file was found in the store, as after a restore' }),
    size_bytes: count.nullable(),
    sha256: text.nullable().meta({ description: 'Of the file, in hex' }),
    rows: count.nullable().meta({ description: 'Of all tables together' }),
    encrypted: z.boolean().nullable().meta({ description: 'null until it is complete, and when it is unverified' }),
    key_id: text
      .nullable()
      .meta({ description: 'Id of the SECRETS_KEY that it was made with. Without that key the file is worthless' }),
    created_at: timestamp,
    duration_ms: count.nullable(),
    error: text.nullable().meta({ description: 'Why it failed, or is unverified' }),
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
        error: null,
      },
    ],
  });

export const triggeredBackup = z
  .object({ id, workflow_id: text.meta({ description: 'Of the workflow that makes it, in Temporal' }) })
  .meta({ id: 'TriggeredBackup', examples: [{ id: backupId, workflow_id: `backup-${backupId}` }] });
