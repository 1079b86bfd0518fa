import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { consumerName } from '../../consumers/consumer-rules.ts';
import { destinationSchemas } from '../../notifications/destinations/destination-rules.ts';
import { providers } from '../../providers/registry.ts';
import { isRecord } from '../../shared/is-record.ts';
import { filled } from '../../shared/text-rules.ts';
import { fieldSchemas, secretNames } from './fields.ts';
import { referencePattern } from './references.ts';

const consumer = z.strictObject(fieldSchemas.consumer).partial();
/** As the API's, without the name, which is the key. */
const destination = z.union(
  destinationSchemas.create.options.map((option) => {
    const { name: _, ...fields } = option.shape;
    return z.strictObject(fields);
  }),
);
const account = z
  .strictObject({
    ...fieldSchemas.account,
    consumers: z
      .record(consumerName, consumer)
      .meta({ description: 'Consumers by name; `default` has the address of the account' }),
    destinations: z.record(filled(200), destination).meta({ description: 'Destinations by name' }),
  })
  .partial()
  .required({ app_key: true });
const accountName = z.string().regex(new RegExp(`^(${[...providers.keys()].join('|')})/[A-Za-z0-9._~-]{1,100}$`));
const file = z.strictObject({
  accounts: z.record(accountName, account).meta({ description: 'Accounts by `provider/slug`, such as `generic/shop`' }),
});

/** The JSON Schema of gateway.yaml for editors (draft 2020-12), from the schemas of the API's bodies. */
export function planFileSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(file, { io: 'input' });
  return {
    $schema,
    title: 'gateway.yaml',
    description: 'Settings of a webhook gateway, for `webhook-gateway plan` and `apply`',
    ...Object(withReferences(schema)),
    $defs: {
      reference: {
        type: 'string',
        pattern: referencePattern.source,
        description: 'A variable of the environment, `$' + '{env:NAME}`, or a file, `$' + '{file:path}`',
      },
    },
  };
}

const reference = { $ref: '#/$defs/reference' };

/** Allows a reference in place of each text, and nothing else in place of a secret. */
function withReferences(schema: unknown, name = ''): unknown {
  if (Array.isArray(schema)) return schema.map((one) => withReferences(one, name));
  if (!isRecord(schema)) return schema;
  if (secretNames.has(name)) return secretIn(schema);
  if (schema.type === 'string' && !('enum' in schema) && !('const' in schema)) {
    const { description, ...text } = schema;
    return { ...(description === undefined ? {} : { description }), anyOf: [reference, text] };
  }
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, inKeyword(keyword, value)]));
}

/** A secret: a reference, or null where the API allows it. */
function secretIn({ description, anyOf }: Record<string, unknown>): Record<string, unknown> {
  return {
    ...(description === undefined ? {} : { description }),
    ...(Array.isArray(anyOf) ? { anyOf: [reference, { type: 'null' }] } : reference),
  };
}

function inKeyword(keyword: string, value: unknown): unknown {
  if (keyword === 'properties' && isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withReferences(one, name)]));
  return ['items', 'additionalProperties', 'anyOf', 'oneOf'].includes(keyword) ? withReferences(value) : value;
}

if (import.meta.main) {
  const schemaFile = new URL('../../../docs/gateway.schema.json', import.meta.url);
  await writeFile(schemaFile, `${JSON.stringify(planFileSchema(), null, 2)}\n`);
  console.log('written to docs/gateway.schema.json');
}
