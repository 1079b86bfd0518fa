import { z } from 'zod';
import { count, id, text, timestamp } from './common.ts';

/** One entry (specification, section 2.4). */
export const auditEntry = z
  .object({
    id,
    actor: text.meta({ description: "The admin token's name, else the IP address", example: 'admin' }),
    action: text.meta({ example: 'account.update' }),
    ip_address: text.meta({ example: '192.0.2.7' }),
    timestamp,
    details: z.record(z.string(), z.unknown()).meta({ example: { status: 200, changed: ['delivery_url'] } }),
  })
  .meta({ id: 'AuditEntry' });

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
  .meta({ id: 'AuditStats' });

export const purged = z.object({ deleted: count }).meta({ id: 'Purged' });

const seal = z.object({ seq: count, seal: text.meta({ description: 'Hex' }) });

/** What the walk along the chain found. */
export const auditVerification = z
  .object({
    ok: z.boolean(),
    checked: count.meta({ description: 'Sealed entries that were checked' }),
    unsealed: count.meta({ description: 'Entries that wait for their seal, usually for a second' }),
    head: seal
      .nullable()
      .meta({ description: 'The last seal; note it down somewhere else to prove later that nothing was cut off' }),
    anchor: seal.nullable().meta({ description: 'Where the chain begins since the last purge' }),
    failure: z
      .object({
        kind: z.enum(['changed', 'missing', 'foreign']),
        seq: count.nullable(),
        id: text.nullable(),
        message: text,
      })
      .nullable(),
  })
  .meta({ id: 'AuditVerification' });
