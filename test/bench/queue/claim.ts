import type { Sql } from '../../../src/database/sql.ts';
import { lanes } from '../../../src/events/lanes.ts';
import { beforeAllAccounts, type ClaimName, claimForAttempt, claimForStart } from '../../../src/events/queue.ts';

/** As many as one claim of the relay takes. */
export const claimSize = 128;
const leaseS = 60;

/** Claims the next events for their first attempts, as the relay of a worker with free room does. */
export async function claimAttempts(sql: Sql, token: string): Promise<ClaimName[]> {
  const { claimed } = await claimForAttempt(sql, {
    after: beforeAllAccounts,
    busy: new Map(),
    accountConcurrency: claimSize,
    limit: claimSize,
    token,
    leaseS,
    permits: 0,
  });
  return claimed.map(({ eventId, generation }) => ({ eventId, generation, token }));
}

/** Claims the next delivered events for the start of their workflows. */
export async function claimStarts(sql: Sql, token: string): Promise<ClaimName[]> {
  const { claimed } = await claimForStart(sql, {
    lane: lanes.settledStart,
    after: beforeAllAccounts,
    limit: claimSize,
    token,
    leaseS,
  });
  return claimed.map(({ eventId, generation }) => ({ eventId, generation, token }));
}
