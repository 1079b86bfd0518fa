import { z } from 'zod';
import { filled } from '../../shared/text-rules.ts';
import { destinationCondition } from './destination-condition.ts';
import { configChange, destinationTypes, settingsSchemas } from './destination-config.ts';
import { givenKinds } from './destination-kinds.ts';

const name = filled(200);
const optional = {
  condition: destinationCondition.nullable().optional().meta({
    description:
      'Expression that selects the events and incidents to notify about; `null`: failed events, and all incidents, of its `kinds`',
  }),
  kinds: givenKinds.optional(),
  enabled: z.boolean().optional(),
  position: z.int32().optional(),
};

const { webhook, email, chat_one, chat_two } = settingsSchemas;

/**
 * The fields of a destination (R20); unknown fields are refused. `DestinationStore.update` also checks a change against
 * the stored type.
 */
export const destinationSchemas = {
  create: z.discriminatedUnion('destination_type', [
    webhook.extend({ name, ...optional }),
    email.extend({ name, ...optional }),
    chat_one.extend({ name, ...optional }),
    chat_two.extend({ name, ...optional }),
  ]),
  change: z.strictObject({
    destination_type: z.enum(destinationTypes).optional(),
    config: configChange.optional(),
    name: name.optional(),
    ...optional,
  }),
};

export type NewDestination = z.infer<typeof destinationSchemas.create>;
export type DestinationChange = z.infer<typeof destinationSchemas.change>;
