import type { SecretBox } from '../secrets/secret-box.ts';
import type { FieldError } from '../shared/plain-words.ts';
import type { AccountRow } from './account-entity.ts';
import type { AccountChange } from './account-rules.ts';

/** The change of an account without the fields that say what becomes of its previous signing secret. */
export type ChangedFields = Omit<AccountChange, 'rotate' | 'replace_previous' | 'signing_secret_previous_expires_at'>;

export type SecretChange =
  | {
      ok: true;
      fields: ChangedFields;
      /** The secret that a rotation keeps as the previous one; null without a rotation. */
      kept: string | null;
      /** The end of the previous secret after the change. */
      expiresAt: Date | null;
      /** The names of the fields that change, for the audit log. */
      changed: string[];
    }
  | { ok: false; reason: 'previous_in_use' }
  | { ok: false; reason: 'invalid'; errors: FieldError[] };

type Secrets = Pick<
  AccountRow,
  'id' | 'signing_secret_current' | 'signing_secret_previous' | 'signing_secret_previous_expires_at'
>;

/** The encrypted previous signing secret; null when there is none, or its end has come. */
export function previousSecret(
  account: Pick<Secrets, 'signing_secret_previous' | 'signing_secret_previous_expires_at'>,
): Uint8Array | null {
  const { signing_secret_previous: sealed, signing_secret_previous_expires_at: end } = account;
  return end && end.getTime() <= Date.now() ? null : (sealed ?? null);
}

/**
 * What a change does to the signing secrets of an account that the caller has locked. With `rotate`, the stored current
 * secret becomes the previous one, so that a caller who sends a wrong one cannot cause rejected webhooks. A previous
 * secret in use is replaced only with `replace_previous`, because webhooks that still use it would be rejected.
 */
export function changeOfSecrets(box: SecretBox, account: Secrets, sent: AccountChange): SecretChange {
  const { rotate = false, replace_previous = false, signing_secret_previous_expires_at: end, ...fields } = sent;
  const { signing_secret_current: fresh, signing_secret_previous: given } = fields;
  const previous = previousSecret(account);
  const kept = rotate ? openCurrent(box, account) : null;
  const errors = rotate ? rotationErrors(account, { fresh, given, kept }) : [];
  if (replace_previous && !rotate)
    errors.push({
      path: 'replace_previous',
      message: 'has a meaning only with rotate: send rotate too, or leave it out',
    });
  const expiresAt = end ? new Date(end) : null;
  if (expiresAt && expiresAt.getTime() <= Date.now())
    errors.push({ path: 'signing_secret_previous_expires_at', message: 'must be in the future' });
  else if (expiresAt && !rotate && !(given === undefined ? previous : given))
    errors.push({
      path: 'signing_secret_previous_expires_at',
      message: 'has no secret to end: the account has no signing_secret_previous; leave it out, or rotate with it',
    });
  if (errors.length > 0) return { ok: false, reason: 'invalid', errors };
  if (rotate && previous && !replace_previous) return { ok: false, reason: 'previous_in_use' };
  const isOther = rotate || given !== undefined || previous === null;
  const stays = isOther ? null : (account.signing_secret_previous_expires_at ?? null);
  return {
    ...{ ok: true, fields, kept },
    expiresAt: end === undefined ? stays : expiresAt,
    changed: [
      ...Object.keys(fields),
      ...(rotate ? ['signing_secret_previous'] : []),
      ...(end === undefined ? [] : ['signing_secret_previous_expires_at']),
    ],
  };
}

const openCurrent = (box: SecretBox, { id, signing_secret_current: sealed }: Secrets): string | null =>
  sealed ? box.open(sealed, { accountId: id, field: 'signing_secret_current' }) : null;

function rotationErrors(
  account: Secrets,
  secrets: { fresh: string | null | undefined; given: string | null | undefined; kept: string | null },
): FieldError[] {
  const { fresh, given, kept } = secrets;
  const errors: FieldError[] = [];
  if (!fresh) errors.push({ path: 'signing_secret_current', message: 'is required with rotate: send the new secret' });
  else if (fresh === kept)
    errors.push({
      path: 'signing_secret_current',
      message: 'is the current secret already: send a new one, or nothing if the rotation is done',
    });
  if (given !== undefined)
    errors.push({
      path: 'signing_secret_previous',
      message: 'must not be sent with rotate, which keeps the stored secret as the previous one: leave it out',
    });
  if (!account.signing_secret_current)
    errors.push({
      path: 'rotate',
      message: 'has no secret to keep: the account has none yet. Send signing_secret_current without rotate',
    });
  else if (kept === null)
    errors.push({
      path: 'rotate',
      message:
        'cannot keep the stored secret, which does not decrypt with SECRETS_KEY. Send signing_secret_current without rotate',
    });
  return errors;
}
