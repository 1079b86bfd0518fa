import fc from 'fast-check';
import { headerValue, hostileTexts } from './hostile-texts.ts';

/** Invalid secrets, secrets of a wrong kind, and damaged secrets of the right kind. */
export function secretsNear(genuine: readonly string[]): fc.Arbitrary<string> {
  const edited = fc.tuple(fc.constantFrom(...genuine), fc.nat(500), headerValue).map(([secret, at, insert]) => {
    const start = at % (secret.length + 1);
    return secret.slice(0, start) + insert + secret.slice(start + (at % 7));
  });
  const form = fc.constantFrom(
    'whsec_',
    'whpk_',
    'whsk_',
    'v1,whsec_',
    '-----BEGIN PUBLIC KEY-----\n',
    'https://',
    '0x',
  );
  return fc
    .oneof(
      edited,
      fc.constantFrom(...genuine, ...hostileTexts),
      fc.string({ unit: 'binary' }),
      fc.base64String(),
      fc.tuple(form, fc.oneof(fc.base64String(), fc.string())).map((parts) => parts.join('')),
    )
    .filter((secret) => secret !== '');
}

type FieldSchema = { type?: string; enum?: unknown[]; minimum?: number; maximum?: number };

const configTexts = [
  'X-Signature',
  'authorization',
  '__proto__',
  'host',
  '{body}',
  '{url}{body}',
  '{timestamp}.{id}.{body}',
  '{',
  'sha256=',
];

function fieldValue({ type, enum: choices, minimum = -10, maximum = 100_000 }: FieldSchema): fc.Arbitrary<unknown> {
  if (choices) return fc.constantFrom(...choices);
  if (type === 'integer' || type === 'number') return fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 31 - 1) });
  if (type === 'boolean') return fc.boolean();
  return fc.oneof(fc.constantFrom(...configTexts, ...hostileTexts), fc.webUrl(), fc.string({ maxLength: 20 }));
}

/** Valid and invalid configs that operators could write, made from the JSON schema. */
export function configsOf(
  schema: { properties?: Record<string, unknown> },
  genuine: readonly Record<string, unknown>[],
): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    fieldValue(field as FieldSchema),
  ]);
  const any: fc.Arbitrary<Record<string, unknown>> = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  return fc.oneof(
    fc.constantFrom({}, ...genuine),
    any,
    fc.tuple(fc.constantFrom({}, ...genuine), any).map(([config, change]) => ({ ...config, ...change })),
  );
}
