import type { Sql } from '../database/sql.ts';
import type { AuditEntry } from './entry.ts';

/** The part of the audit log that writes entries. */
export interface AuditWriter {
  /** Writes entries in the caller's transaction. */
  write(sql: Sql, ...entries: AuditEntry[]): Promise<void>;
  /** Writes an entry by itself. Resolves after the commit. */
  append(entry: AuditEntry): Promise<void>;
}
