import type { Sql } from '../database/sql.ts';

/** `delivery`: a consumer fails; `rejections`: many webhooks of an account are rejected; `gateway`: the gateway itself. */
export const incidentKinds = ['delivery', 'rejections', 'gateway'] as const;
export type IncidentKind = (typeof incidentKinds)[number];

export const incidentStates = ['open', 'acknowledged', 'resolved'] as const;
export type IncidentState = (typeof incidentStates)[number];

/** The beginning or the end of an incident of an account, for those who are told of it. */
export interface IncidentChange {
  incidentId: string;
  kind: 'delivery' | 'rejections';
  /** `opened`: also when it is reopened. */
  change: 'opened' | 'resolved';
  accountId: string;
  provider: string;
  accountSlug: string;
  appKey: string;
  /** The name of the consumer; null for `rejections`. */
  consumer: string | null;
  cause: string;
  firstSeenAt: Date;
  lastSeenAt: Date;
  attempts: number;
  exampleEventId: string | null;
  /** When it was opened, reopened or resolved. */
  at: Date;
}

/**
 * Called in the transaction that opens, reopens or resolves incidents. It writes the consequences, such as messages, so
 * that both commit or neither does.
 */
export type TellIncidents = (sql: Sql, changes: IncidentChange[]) => Promise<void>;
