import type { FieldError } from '../shared/plain-words.ts';
import type { OutboundSecret, PreviousSecret, PreviousSecrets, SealedOptions } from './sealed-options.ts';

/** A day to give the new secret to all instances of a receiver. */
const usualEndMs = 24 * 3_600_000;
/** A secret that is rotated because it has leaked must not sign for ever. */
const latestEndDays = 7;
const latestEndMs = latestEndDays * 24 * 3_600_000;

/** Why a change of secrets is refused: both are empty when it is not. */
export interface SecretRefusals {
  errors: FieldError[];
  /** The previous secrets that a rotation would drop although they are in use. */
  inUse: FieldError[];
}

/** The mistake of `replace_previous` without `rotate`. */
export const replacedWithoutRotation: FieldError = {
  path: 'replace_previous',
  message: 'has a meaning only with rotate: send rotate too, or leave it out',
};

/** Why a change is refused; null when it is not. */
export function refusalOf(
  changes: readonly SecretRefusals[],
): { ok: false; reason: 'invalid' | 'previous_in_use'; errors: FieldError[] } | null {
  const errors = changes.flatMap((change) => change.errors);
  if (errors.length > 0) return { ok: false, reason: 'invalid', errors };
  const inUse = changes.flatMap((change) => change.inUse);
  return inUse.length > 0 ? { ok: false, reason: 'previous_in_use', errors: inUse } : null;
}

/** The name of the field with the end of a previous secret. */
export const endField = <Field extends OutboundSecret>(field: Field) => `${field}_previous_expires_at` as const;

/** What a change does to one secret that signs deliveries. */
export interface ChangedSecret {
  field: OutboundSecret;
  /** Whether the stored secret becomes the previous one. */
  rotate: boolean;
  /** The new secret; undefined: the change has none. */
  fresh: string | null | undefined;
  /** The end of the previous secret; null: at once; undefined: the change has none. */
  end: string | null | undefined;
  /** Reads the secret that is stored: null: there is none; undefined: it does not decrypt. */
  stored(): string | null | undefined;
}

interface Circumstances {
  /** What is stored; null: it does not decrypt. */
  options: SealedOptions | null;
  /** Whether deliveries are signed with a key of ed25519 after the change. */
  signsWithKey: boolean;
  replacePrevious: boolean;
  /** By the clock of the database, which also decides what an attempt is signed with. */
  nowMs: number;
}

/** Whether the end of a previous secret has not come. */
export const isInForce = ({ expiresAt }: PreviousSecret, nowMs: number): boolean => Date.parse(expiresAt) > nowMs;

/** The previous secrets whose end has not come. */
const allInForce = (previous: PreviousSecrets | undefined, nowMs: number): PreviousSecrets =>
  Object.fromEntries(Object.entries(previous ?? {}).filter(([, one]) => isInForce(one, nowMs)));

/** Until when previous secrets sign, as ISO 8601. */
export type PreviousEnds = Partial<Record<OutboundSecret, string>>;

/** The ends of the previous secrets that sign now. */
export const previousEnds = (options: SealedOptions | null): PreviousEnds =>
  Object.fromEntries(
    Object.entries(allInForce(options?.previous, Date.now())).map(([field, { expiresAt }]) => [field, expiresAt]),
  );

/**
 * What a change does to the previous secrets of a consumer. With `rotate`, the stored secret becomes the previous one,
 * and signs beside the new one until its end. A secret that is changed without `rotate` is replaced at once, and its
 * previous one is dropped. Those whose end has come are dropped, too.
 */
export function changeOfPrevious(
  secrets: readonly ChangedSecret[],
  circumstances: Circumstances,
): SecretRefusals & { previous: PreviousSecrets | undefined } {
  const { options, signsWithKey, nowMs } = circumstances;
  const previous = signsWithKey ? {} : allInForce(options?.previous, nowMs);
  const refusals: SecretRefusals = { errors: [], inUse: [] };
  for (const secret of secrets) {
    const before = previous[secret.field] ?? null;
    const { errors, inUse, after } = secret.rotate
      ? rotated(secret, before, circumstances)
      : notRotated(secret, before, nowMs);
    refusals.errors.push(...errors);
    refusals.inUse.push(...inUse);
    delete previous[secret.field];
    if (after) previous[secret.field] = after;
  }
  return { ...refusals, previous: Object.keys(previous).length === 0 ? undefined : previous };
}

interface After extends SecretRefusals {
  after: PreviousSecret | null;
}

function rotated(secret: ChangedSecret, before: PreviousSecret | null, circumstances: Circumstances): After {
  const { field, fresh, end } = secret;
  const { nowMs } = circumstances;
  const stored = secret.stored();
  const errors = [...rotationErrors(secret, stored, circumstances), ...endErrors(field, end, nowMs)];
  if (end === null)
    errors.push({
      path: endField(field),
      message: 'must be a time with rotate: leave it out for 24 hours. Without rotate, the secret is replaced at once',
    });
  const inUse =
    before === null || circumstances.replacePrevious ? [] : [{ path: endField(field), message: stillSigns(before) }];
  if (!fresh || !stored) return { errors, inUse, after: null };
  const expiresAt = end ? new Date(end) : new Date(nowMs + usualEndMs);
  return { errors, inUse, after: { secret: stored, expiresAt: expiresAt.toISOString() } };
}

function notRotated({ field, fresh, end }: ChangedSecret, before: PreviousSecret | null, nowMs: number): After {
  const kept = fresh === undefined ? before : null;
  const errors = endErrors(field, end, nowMs);
  if (end && kept === null && errors.length === 0)
    errors.push({
      path: endField(field),
      message: `has no secret to end: leave it out, or send a new ${field} with rotate: true`,
    });
  const after = kept && end ? { ...kept, expiresAt: new Date(end).toISOString() } : kept;
  return { errors, inUse: [], after: end === null ? null : after };
}

function rotationErrors(
  { field, fresh }: ChangedSecret,
  stored: string | null | undefined,
  { options, signsWithKey }: Circumstances,
): FieldError[] {
  const instead = `Send ${field} without rotate`;
  const error = (path: string, message: string): FieldError[] => [{ path, message }];
  if (signsWithKey)
    return error(
      'rotate',
      `is for secrets, and deliveries are signed with ed25519. ${instead}, or set signature of the consumer to null first`,
    );
  if (!fresh) return error(field, 'is required with rotate: send the new secret');
  if (stored === null) return error('rotate', `has no secret to keep: there is no ${field} yet. ${instead}`);
  if (stored === undefined)
    return error('rotate', `cannot keep the stored ${field}, which does not decrypt with SECRETS_KEY. ${instead}`);
  if (options === null)
    return error(
      'rotate',
      `cannot keep the stored ${field} beside the settings of its consumer, which do not decrypt with SECRETS_KEY. ${instead}, or set authentication and signature of the consumer first`,
    );
  if (stored === fresh)
    return error(field, 'is the current secret already: send a new one, or nothing if the rotation is done');
  return [];
}

function endErrors(field: OutboundSecret, end: string | null | undefined, nowMs: number): FieldError[] {
  if (!end) return [];
  const endMs = Date.parse(end);
  const path = endField(field);
  if (endMs <= nowMs) return [{ path, message: 'must be in the future; null ends the previous secret at once' }];
  return endMs > nowMs + latestEndMs ? [{ path, message: `must be at most ${latestEndDays} days ahead` }] : [];
}

const stillSigns = ({ expiresAt }: PreviousSecret) =>
  `is ${expiresAt}, and a receiver may still have the secret that signs until then. Set it to null when none has it any more, or send replace_previous: true`;
