import type { SecretBox } from '../secrets/secret-box.ts';
import type { FieldError } from '../shared/plain-words.ts';
import type { AccountRow } from './account-entity.ts';
import type { AccountChange } from './account-rules.ts';
import { deliverySecrets } from './delivery-secrets.ts';
import { replacedWithoutRotation, type SecretRefusals } from './outbound-rotation.ts';

/** The change of an account without the fields that say what becomes of its previous secrets. */
export type ChangedFields = Omit<
  AccountChange,
  'rotate' | 'replace_previous' | `${'signing_secret' | (typeof deliverySecrets)[number]}_previous_expires_at`
>;

export interface SigningChange extends SecretRefusals {
  fields: ChangedFields;
  /** The secret that a rotation keeps as the previous one; null without a rotation. */
  kept: string | null;
  /** The end of the previous secret after the change. */
  expiresAt: Date | null;
  /** The names of the fields that change, for the audit log. */
  changed: string[];
}

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

const previousField = 'signing_secret_previous';
const endField = 'signing_secret_previous_expires_at';

/** The secrets that can be rotated. */
const rotated = ['signing_secret_current', ...deliverySecrets] as const;

const stillSet =
  'is still set, and webhooks that use it would be rejected. Set it to null when none uses it any more, or send replace_previous: true';

/**
 * What a change does to the signing secrets of an account that the caller has locked. With `rotate`, the stored current
 * secret becomes the previous one, so that a caller who sends a wrong one cannot cause rejected webhooks. A previous
 * secret in use is replaced only with `replace_previous`, because webhooks that still use it would be rejected.
 */
export function changeOfSigning(box: SecretBox, account: Secrets, sent: AccountChange): SigningChange {
  const { rotate: asked = false, replace_previous = false, [endField]: end, ...others } = sent;
  const { delivery_secret_previous_expires_at, project_delivery_secret_previous_expires_at, ...fields } = others;
  const { signing_secret_current: fresh, signing_secret_previous: given } = fields;
  const rotate = asked && fresh !== undefined;
  const previous = previousSecret(account);
  const kept = rotate ? openCurrent(box, account) : null;
  const errors = rotate ? rotationErrors(account, { fresh, given, kept }) : [];
  if (asked && rotated.every((field) => sent[field] === undefined))
    errors.push({ path: 'rotate', message: `needs a new secret: send ${rotated.join(', or ')} beside it` });
  if (replace_previous && !asked) errors.push(replacedWithoutRotation);
  const expiresAt = end ? new Date(end) : null;
  if (expiresAt && expiresAt.getTime() <= Date.now()) errors.push({ path: endField, message: 'must be in the future' });
  else if (expiresAt && !rotate && !(given === undefined ? previous : given))
    errors.push({
      path: endField,
      message: 'has no secret to end: the account has no signing_secret_previous; leave it out, or rotate with it',
    });
  const isOther = rotate || given !== undefined || previous === null;
  const stays = isOther ? null : (account[endField] ?? null);
  return {
    ...{ errors, inUse: rotate && previous && !replace_previous ? [{ path: previousField, message: stillSet }] : [] },
    ...{ fields, kept },
    expiresAt: end === undefined ? stays : expiresAt,
    changed: [...Object.keys(fields), ...(rotate ? [previousField] : []), ...(end === undefined ? [] : [endField])],
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
