import {
  type Authentication,
  clientCertificate,
  type ShownAuthentication,
  shownAuthentication,
} from '../accounts/authentication.ts';
import { consumerFields } from '../accounts/delivery-target.ts';
import { openedOptions, optionsToSeal, type SealedOptions } from '../accounts/sealed-options.ts';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import type { ConsumerRow } from './consumer-entity.ts';

/** The columns of a consumer with encrypted values. */
export const sealedConsumerColumns = ['secret', 'url_credentials', 'sealed_options'] as const;
type SealedColumn = (typeof sealedConsumerColumns)[number];
type SealedRow = Pick<ConsumerRow, 'id' | 'sealed_options'>;

/** The fields of a change that are stored encrypted, in one value. */
interface SecretFields {
  authentication?: Authentication | null | undefined;
  ca?: string | null | undefined;
}

/** What is shown of them. */
export interface ShownSecrets {
  authentication: ShownAuthentication | null;
  ca: string | null;
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
export const sealedSecret = (box: SecretBox, id: string, secret: string | null | undefined): Buffer | null =>
  secret ? Buffer.from(box.seal(secret, consumerPlace(id, 'secret'))) : null;

/** The encrypted settings in a row; null: SECRETS_KEY does not decrypt them. */
function openOptions(box: SecretBox, { id, sealed_options: sealed }: SealedRow): SealedOptions | null {
  if (!sealed) return {};
  const opened = box.open(sealed, consumerPlace(id, 'sealed_options'));
  return opened === null ? null : openedOptions(opened);
}

/** The encrypted settings after a change. Absent fields stay, null clears one. What does not decrypt is lost by a change. */
export function changedSecrets(
  box: SecretBox,
  row: SealedRow & Pick<ConsumerRow, 'certificate_expires_at'>,
  change: SecretFields,
): Pick<ConsumerRow, 'sealed_options' | 'certificate_expires_at'> {
  const { authentication, ca } = change;
  const { sealed_options, certificate_expires_at } = row;
  if (authentication === undefined && ca === undefined) return { sealed_options, certificate_expires_at };
  const options = openOptions(box, row) ?? {};
  if (authentication === null) delete options.authentication;
  else if (authentication !== undefined) options.authentication = authentication;
  if (ca === null) delete options.ca;
  else if (ca !== undefined) options.ca = ca;
  const text = optionsToSeal(options);
  const own = options.authentication?.type === 'mtls' ? options.authentication : null;
  return {
    sealed_options: text === null ? null : Buffer.from(box.seal(text, consumerPlace(row.id, 'sealed_options'))),
    certificate_expires_at: own && clientCertificate(own.certificate).endsAt,
  };
}

/** What is shown of a consumer's secret settings. */
export function shownSecrets(box: SecretBox, row: SealedRow): ShownSecrets {
  const options = openOptions(box, row);
  if (options === null) return { authentication: { type: 'unreadable' }, ca: null };
  const { authentication, ca = null } = options;
  return { authentication: authentication ? shownAuthentication(authentication) : null, ca };
}
