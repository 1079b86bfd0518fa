import type { AuditAction } from './actions.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
/** What there is to tell of an action: ids, names, counts; never a secret or a payload. */
export type AuditDetails = Record<string, Json>;

export interface AuditEntry {
  /** The name of the admin token, else the IP address. */
  actor: string;
  action: AuditAction;
  ipAddress: string;
  details: AuditDetails;
}
