import type { Database } from '../../src/database/database.ts';
import { rows } from './stored.ts';

export interface TrailEntry {
  id: string;
  actor: string;
  action: string;
  ip_address: string;
  created_at: Date;
  // biome-ignore lint/suspicious/noExplicitAny: tests check the fields of details
  details: any;
}

/**
 * Returns a function that reads the audit entries written since its last call, directly from the table. Entries that count
 * calls are left out unless they are `counted`: the clock writes them, such as at a full hour.
 */
export function auditTrail(database: Database, { counted = false } = {}): () => Promise<TrailEntry[]> {
  const seen = new Set<string>();
  return async () => {
    const all = await rows(
      database,
      'select id, actor, action, ip_address, created_at, details from audit_logs order by id',
    );
    const fresh = all.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    const asked = fresh.filter(({ details }) => counted || details?.calls === undefined);
    return asked.map(({ id, actor, action, ip_address, created_at, details }) => ({
      ...{ id, actor, action, ip_address, created_at, details },
    }));
  };
}
