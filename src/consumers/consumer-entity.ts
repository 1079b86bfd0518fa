import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { DeliveryOptions } from '../accounts/delivery-options.ts';

/** A consumer of an account. That of `default` exists once a setting of it was changed. */
export const ConsumerEntity = defineEntity({
  name: 'Consumer',
  tableName: 'consumers',
  properties: {
    /** For `default`: the id of the account. */
    id: p.uuid().primary(),
    account_id: p.uuid(),
    name: p.string().length(40),
    /** Without user and password, which are encrypted in `url_credentials`. Null for `default`. */
    url: p.text().nullable(),
    url_credentials: p.blob().nullable(),
    secret: p.blob().nullable(),
    enabled: p.boolean(),
    condition: p.text().nullable(),
    options: p.json<DeliveryOptions>().nullable(),
    /** Encrypted (src/accounts/sealed-options.ts). */
    sealed_options: p.blob().nullable(),
    /** Of the client certificate in `sealed_options`, for the metrics. */
    certificate_expires_at: p.datetime().nullable(),
    paused_since: p.datetime().nullable(),
    pause_reason: p.text().nullable(),
    created_at: p.datetime(),
    updated_at: p.datetime(),
    deleted_at: p.datetime().nullable(),
  },
});

export type ConsumerRow = InferEntity<typeof ConsumerEntity>;
