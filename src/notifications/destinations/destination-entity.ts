import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { destinationTypes } from './destination-config.ts';

/** A destination of an account (R20). `config` is JSON, encrypted with AES-256-GCM. */
export const DestinationEntity = defineEntity({
  name: 'Destination',
  tableName: 'destinations',
  properties: {
    id: p.uuid().primary(),
    account_id: p.uuid(),
    destination_type: p.enum(destinationTypes),
    name: p.string().length(200),
    config: p.blob(),
    condition: p.string().length(1000).nullable(),
    kinds: p.array(),
    enabled: p.boolean(),
    position: p.integer(),
    created_at: p.datetime(),
    updated_at: p.datetime(),
  },
});

export type DestinationRow = InferEntity<typeof DestinationEntity>;
