import { consumerFields } from '../accounts/delivery-target.ts';
import type { SecretPlace } from '../secrets/secret-box.ts';

/** The columns of a consumer with encrypted values. */
export const sealedConsumerColumns = ['secret', 'url_credentials'] as const;
type SealedColumn = (typeof sealedConsumerColumns)[number];

const fieldOf: Record<SealedColumn, string> = {
  secret: consumerFields.secret,
  url_credentials: consumerFields.credentials,
};

/** The place that an encrypted value of a consumer is bound to. */
export const consumerPlace = (consumerId: string, column: SealedColumn): SecretPlace => ({
  accountId: consumerId,
  field: fieldOf[column],
});
