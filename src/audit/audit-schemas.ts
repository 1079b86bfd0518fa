import { z } from 'zod';
import { count, id, text, timestamp } from '../http/admin/schemas/common.ts';

/** One audit log entry (R71). */
export const auditEntry = z
  .object({
    id,
    actor: text.meta({
      description: 'Name of the admin token; `gateway` for scheduled tasks; the IP address if the token was not valid',
      example: 'admin',
    }),
    action: text.meta({ example: 'account.update' }),
    ip_address: text.meta({ example: '192.0.2.7' }),
    timestamp,
    details: z.record(z.string(), z.unknown()).meta({ example: { status: 200, changed: ['delivery_url'] } }),
  })
  .meta({
    id: 'AuditEntry',
    examples: [
      {
        id: '01a1fb5c-32dd-7658-a59f-f1f2e11f4782',
        actor: 'admin',
        action: 'account.update',
        ip_address: '192.0.2.7',
        timestamp: '2026-11-20T10:00:00.000Z',
        details: { status: 200, account_id: '01a1fb47-2990-7103-bb77-1c90fa89b69e', changed: ['delivery_url'] },
      },
    ],
  });

const counts = z.record(z.string(), count);

export const auditStats = z
  .object({
    total: count,
    oldest: timestamp.nullable(),
    newest: timestamp.nullable(),
    by_action: counts,
    by_actor: counts,
    by_ip: counts,
    by_day: counts.meta({ example: { '2026-11-20': 12 } }),
  })
  .meta({
    id: 'AuditStats',
    examples: [
      {
        total: 3,
        oldest: '2026-11-20T10:00:00.000Z',
        newest: '2026-11-20T11:00:00.000Z',
        by_action: { 'event.list': 2, 'event.replay': 1 },
        by_actor: { admin: 3 },
        by_ip: { '192.0.2.7': 3 },
        by_day: { '2026-11-20': 3 },
      },
    ],
  });

export const purged = z.object({ deleted: count }).meta({ id: 'Purged', examples: [{ deleted: 1200 }] });

const seal = z.object({ seq: count, seal: text.meta({ description: 'Seal, in hexadecimal' }) });

/** The result of verifying the chain. Entries that are not sealed yet are not a fault. */
export const auditVerification = z
  .object({
    ok: z.boolean(),
    checked: count.meta({ description: 'Number of sealed entries that were checked' }),
    unsealed: count.meta({
      description: 'Number of entries without a seal yet; an entry is usually sealed within a second',
    }),
    head: seal.nullable().meta({
      description:
        'The last seal. Keep a copy outside of the database: with it, a later verification detects entries removed from the end',
    }),
    anchor: seal.nullable().meta({ description: 'Start of the chain after the last purge; `null`: never purged' }),
    failure: z
      .object({
        kind: z.enum(['changed', 'missing', 'foreign']),
        seq: count.nullable(),
        id: text.nullable(),
        message: text,
      })
      .nullable(),
  })
  .meta({
    id: 'AuditVerification',
    examples: [
      { ok: true, checked: 1201, unsealed: 1, head: { seq: 1201, seal: '5f'.repeat(32) }, anchor: null, failure: null },
    ],
  });
