import type { ProblemCode } from '../../http/problem.ts';
import type { AuditEntry } from '../entry.ts';

/** Why an admin call was refused: the code of its problem. */
export type DenialReason = Extract<ProblemCode, 'unauthorized' | 'rate_limited' | 'forbidden'>;

/** A refused admin call, with what its own audit entry says. */
export interface DeniedCall extends Omit<AuditEntry, 'action'> {
  reason: DenialReason;
}

/** Who was refused: a caller without a valid token, or one whose token has not the needed role. */
export type DeniedCaller = 'stranger' | 'token_holder';

export const callerOf = ({ reason }: Pick<DeniedCall, 'reason'>): DeniedCaller =>
  reason === 'forbidden' ? 'token_holder' : 'stranger';

export const minuteMs = 60_000;

/**
 * How many `auth.denied` entries a minute and a day (UTC) may have before another one is only counted, over all
 * processes. Both callers count against both limits.
 *
 * - `stranger`: enough to see who tries what; 10,000 entries need about 10 MB with their indexes.
 * - `token_holder`: more, so that a flood of wrong tokens never hides what the holder of a valid token tried.
 */
export const deniedLimits = {
  stranger: { perMinute: 60, perDay: 10_000 },
  token_holder: { perMinute: 300, perDay: 20_000 },
} as const satisfies Record<DeniedCaller, { perMinute: number; perDay: number }>;
