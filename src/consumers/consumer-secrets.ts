import type { SecretPlace } from '../secrets/secret-box.ts';

/** The columns of a consumer with encrypted values. */
export const sealedConsumerColumns = ['secret', 'url_credentials'] as const;

/** The place that an encrypted value of a consumer is bound to. */
export const consumerPlace = (consumerId: string, column: (typeof sealedConsumerColumns)[number]): SecretPlace => ({
  accountId: consumerId,
  field: `consumer_${column}`,
});
