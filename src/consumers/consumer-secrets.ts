import {
  type Authentication,
  openedAuthentication,
  type ShownAuthentication,
  shownAuthentication,
} from '../accounts/authentication.ts';
import { consumerFields } from '../accounts/delivery-target.ts';
import type { SecretBox, SecretPlace } from '../secrets/secret-box.ts';
import type { ConsumerRow } from './consumer-entity.ts';

/** The columns of a consumer with encrypted values. */
export const sealedConsumerColumns = ['secret', 'url_credentials', 'authentication'] as const;
type SealedColumn = (typeof sealedConsumerColumns)[number];

const fieldOf: Record<SealedColumn, string> = {
  secret: consumerFields.secret,
  url_credentials: consumerFields.credentials,
  authentication: consumerFields.authentication,
};

/** The place that an encrypted value of a consumer is bound to. */
export const consumerPlace = (consumerId: string, column: SealedColumn): SecretPlace => ({
  accountId: consumerId,
  field: fieldOf[column],
});

/** The encrypted value of a new secret. An empty one counts as none. */
export const sealedSecret = (box: SecretBox, id: string, secret: string | null | undefined): Buffer | null =>
  secret ? Buffer.from(box.seal(secret, consumerPlace(id, 'secret'))) : null;

/** The encrypted value of a new authentication. */
export const sealedAuthentication = (
  box: SecretBox,
  id: string,
  authentication: Authentication | null | undefined,
): Buffer | null =>
  authentication ? Buffer.from(box.seal(JSON.stringify(authentication), consumerPlace(id, 'authentication'))) : null;

/** What is shown of a consumer's authentication; null: it has none. */
export function authenticationOf(
  box: SecretBox,
  { id, authentication: sealed }: Pick<ConsumerRow, 'id' | 'authentication'>,
): ShownAuthentication | null {
  if (!sealed) return null;
  const opened = box.open(sealed, consumerPlace(id, 'authentication'));
  return opened === null ? { type: 'unreadable' } : shownAuthentication(openedAuthentication(opened));
}
