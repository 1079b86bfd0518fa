import { z } from 'zod';
import { outboundEnd, replacePrevious } from '../accounts/account-rules.ts';
import { type AddressRules, deliveryUrl } from '../accounts/address-rules.ts';
import { secret, text } from '../shared/text-rules.ts';
import { consumerCondition } from './condition-variables.ts';
import { deliveryFields } from './delivery-rules.ts';

/** The name of the consumer that every account has. Its address and secret are those of the account. */
export const defaultName = 'default';

/** The most consumers of an account, `default` included. Conditions of all are evaluated for each webhook. */
export const maxConsumers = 25;

const namePattern = /^[a-z0-9-]{1,40}$/;

/** Whether a consumer can have this name. */
export const isConsumerName = (given: string) => namePattern.test(given);

/** The name of a consumer in a body. */
export const consumerName = z
  .string()
  .regex(namePattern, 'must be 1 to 40 characters of a-z, 0-9 and -')
  .meta({ examples: ['billing'] });

const fieldsOf = (addresses: Pick<AddressRules, 'refusal'>) => ({
  name: consumerName,
  url: deliveryUrl(addresses),
  secret: secret
    .nullable()
    .meta({ description: 'Signs the deliveries, as `delivery_secret` does; write-only. `null` or empty: unsigned' }),
  signature: z.literal('ed25519').nullable().meta({
    description:
      '`ed25519`: the gateway makes a pair of keys, signs with the private one instead of the secret, and shows the public one as `public_key`. It keeps the pair that it has. `null`: the secret signs',
  }),
  enabled: z.boolean().meta({ description: '`false`: it gets no new webhooks, and its waiting events stay' }),
  condition: consumerCondition
    .nullable()
    .meta({ description: 'Expression that selects the webhooks of this consumer; `null`: all' }),
  ...deliveryFields,
});

/** What becomes of the secret that a change replaces (src/accounts/outbound-rotation.ts). */
const rotation = {
  rotate: z.boolean().meta({
    description: 'With a new `secret`: deliveries are also signed with the stored one, until its end',
  }),
  replace_previous: replacePrevious,
  secret_previous_expires_at: outboundEnd,
};

/** The fields of a consumer; unknown fields are refused. */
export function consumerSchemas(addresses: Pick<AddressRules, 'refusal'>) {
  const fields = fieldsOf(addresses);
  return {
    fields,
    create: z.strictObject(fields).partial().required({ name: true, url: true }),
    change: z.strictObject({ ...fields, ...rotation }).partial(),
  };
}

type Schemas = ReturnType<typeof consumerSchemas>;
export type NewConsumer = z.infer<Schemas['create']>;
export type ConsumerChange = z.infer<Schemas['change']>;

/** The body of a pause. */
export const pauseBody = z
  .strictObject({ reason: text(200).meta({ description: 'Shown to operators while it is paused' }) })
  .partial()
  .nullish();
