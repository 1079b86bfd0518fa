import {
  type Authentication,
  clientCertificate,
  type ShownAuthentication,
  shownAuthentication,
} from '../accounts/authentication.ts';
import {
  changeOfPrevious,
  type PreviousEnds,
  previousEnds,
  replacedWithoutRotation,
  type SecretRefusals,
} from '../accounts/outbound-rotation.ts';
import { consumerFields, openOptions, sealChanged } from '../accounts/sealed-options.ts';
import { newSignatureKey, publicKeyOf } from '../accounts/signature-key.ts';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import type { ConsumerRow } from './consumer-entity.ts';

/** The columns of a consumer with encrypted values. */
export const sealedConsumerColumns = ['secret', 'url_credentials', 'sealed_options'] as const;
type SealedColumn = (typeof sealedConsumerColumns)[number];
type SealedRow = Pick<ConsumerRow, 'id' | 'secret' | 'sealed_options' | 'certificate_expires_at'>;

/** The fields of a change that are stored encrypted. */
interface SecretFields {
  secret?: string | null | undefined;
  authentication?: Authentication | null | undefined;
  ca?: string | null | undefined;
  signature?: 'ed25519' | null | undefined;
  rotate?: boolean | undefined;
  replace_previous?: boolean | undefined;
  secret_previous_expires_at?: string | null | undefined;
}

/** What is shown of a consumer's secret settings. */
export interface ShownSecrets {
  authentication: ShownAuthentication | null;
  ca: string | null;
  /** Null: deliveries are signed with the secret. */
  signature: 'ed25519' | 'unreadable' | null;
  publicKey: string | null;
  previousEnds: PreviousEnds;
}

const fieldOf: Record<SealedColumn, string> = {
  secret: consumerFields.secret,
  url_credentials: consumerFields.credentials,
  sealed_options: consumerFields.sealedOptions,
};

/** The place that an encrypted value of a consumer is bound to. */
export const consumerPlace = (consumerId: string, column: SealedColumn): SecretPlace => ({
  accountId: consumerId,
  field: fieldOf[column],
});

/** The encrypted value of a new secret. An empty one counts as none. */
const sealedSecret = (box: SecretBox, id: string, secret: string | null | undefined): Buffer | null =>
  secret ? Buffer.from(box.seal(secret, consumerPlace(id, 'secret'))) : null;

export interface ChangedSecrets extends SecretRefusals {
  secret: Uint8Array | null;
  sealed_options: Uint8Array | null;
  certificate_expires_at: Date | null;
}

/**
 * The encrypted values after a change. Absent fields stay, null clears one. Settings that do not decrypt are lost by a
 * change of one of them.
 *
 * @param nowMs by the clock of the database.
 */
export function changedSecrets(box: SecretBox, row: SealedRow, change: SecretFields, nowMs: number): ChangedSecrets {
  const { authentication, ca, signature, secret: fresh, rotate = false } = change;
  const { replace_previous: replacePrevious = false } = change;
  const options = openOptions(box, row.id, row.sealed_options);
  const signatureKey =
    signature === undefined ? options?.signatureKey : signature && (options?.signatureKey ?? newSignatureKey());
  const signsWithKey = typeof signatureKey === 'string';
  const stored = () => (row.secret ? (box.open(row.secret, consumerPlace(row.id, 'secret')) ?? undefined) : null);
  const { errors, inUse, previous } = changeOfPrevious(
    [{ field: 'secret', rotate, fresh, end: change.secret_previous_expires_at, stored }],
    { options, signsWithKey, replacePrevious, nowMs },
  );
  if (replacePrevious && !rotate) errors.push(replacedWithoutRotation);
  const secret = fresh === undefined ? (row.secret ?? null) : sealedSecret(box, row.id, fresh);
  const { sealed_options = null, certificate_expires_at = null } = row;
  if (options === null && [authentication, ca, signature].every((field) => field === undefined))
    return { errors, inUse, secret, sealed_options, certificate_expires_at };
  const after = {
    ...options,
    ...(authentication !== undefined && { authentication: authentication ?? undefined }),
    ...(ca !== undefined && { ca: ca ?? undefined }),
    ...{ signatureKey: signatureKey ?? undefined, previous },
  };
  return {
    ...{ errors, inUse, secret },
    sealed_options: sealChanged(box, row.id, { sealed: sealed_options, options }, after),
    certificate_expires_at:
      after.authentication?.type === 'mtls' ? clientCertificate(after.authentication.certificate).endsAt : null,
  };
}

/** What is shown of a consumer's secret settings. */
export function shownSecrets(box: SecretBox, row: Pick<SealedRow, 'id' | 'sealed_options'>): ShownSecrets {
  const options = openOptions(box, row.id, row.sealed_options);
  if (options === null)
    return {
      ...{ authentication: { type: 'unreadable' }, ca: null },
      ...{ signature: 'unreadable', publicKey: null, previousEnds: {} },
    };
  const { authentication, ca = null, signatureKey } = options;
  return {
    ...{ authentication: authentication ? shownAuthentication(authentication) : null, ca },
    signature: signatureKey === undefined ? null : 'ed25519',
    publicKey: signatureKey === undefined ? null : publicKeyOf(signatureKey),
    previousEnds: previousEnds(options),
  };
}
