import type { Sql } from '../database/sql.ts';

/**
 * Called inside the transaction in which deliveries fail for good, with the ids of their events: whatever has to follow
 * is noted there, or the deliveries have not failed.
 */
export type WhenExhausted = (sql: Sql, eventIds: string[]) => Promise<void>;
