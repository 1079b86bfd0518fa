import { z } from 'zod';
import { partUrl } from '../../accounts/url-credentials.ts';
import { defaultName } from '../../consumers/consumer-rules.ts';
import { configChange } from '../../notifications/destinations/destination-config.ts';
import { destinationSchemas } from '../../notifications/destinations/destination-rules.ts';
import { isRecord } from '../../shared/is-record.ts';
import { fieldErrors, plainWords } from '../../shared/plain-words.ts';
import { fieldSchemas, type Kind, requiredFields, secretPaths, urlPaths } from './fields.ts';
import type { Mistake } from './positions.ts';
import type { Reference } from './references.ts';

/** An account, consumer or destination of the file. */
export interface Wanted {
  name: string;
  /** As written, with the values of references that are set. Those that are not set, and lists with one, are absent. */
  fields: Readonly<Record<string, unknown>>;
  /** By path, such as `config.secret`. */
  references: ReadonlyMap<string, Reference>;
}

const accountSchema = z.strictObject(fieldSchemas.account).partial();
const consumerSchema = z.strictObject(fieldSchemas.consumer).partial();
const destinationSchema = z.strictObject({ ...destinationSchemas.change.shape, config: configChange }).partial();

/** The value at a dotted path. */
function valueAt(fields: Readonly<Record<string, unknown>>, path: string): unknown {
  return path.split('.').reduce<unknown>((held, name) => (isRecord(held) ? held[name] : undefined), fields);
}

/** What is wrong with the fields of one object; paths are relative to it. The gateway checks them again. */
export function mistakesOf(kind: Kind, provider: string, wanted: Wanted): Mistake[] {
  const { fields, references, name } = wanted;
  const isUnset = (path: string) =>
    [...references].some(([at, { value }]) => value === undefined && (at === path || at.startsWith(`${path}.`)));
  const checked = { ...fields };
  // Without its secret it cannot be checked; `apply` refuses to send it so.
  if (isUnset('authentication')) delete checked.authentication;
  return [
    ...secretMistakes(kind, provider, wanted),
    ...(kind === 'consumer' && name === defaultName
      ? mistakesOfDefault(fields)
      : requiredFields[kind].flatMap((path) =>
          fields[path] === undefined && !isUnset(path) ? [{ path: [path], message: 'is required' }] : [],
        )),
    ...schemaMistakes(kind, { name, checked, whole: !isUnset('config') }),
  ];
}

function secretMistakes(kind: Kind, provider: string, { fields, references }: Wanted): Mistake[] {
  const isPlain = (path: string, isSecret: (text: string) => boolean) => {
    const value = valueAt(fields, path);
    return typeof value === 'string' && !references.has(path) && isSecret(value);
  };
  const mistakes = (paths: readonly string[], isSecret: (text: string) => boolean, what: string) =>
    paths
      .filter((path) => isPlain(path, isSecret))
      .map((path) => ({ path: path.split('.'), message: `${what}: write \${env:NAME} or \${file:path}` }));
  return [
    ...mistakes(secretPaths(kind, provider), () => true, 'is a secret, which does not belong in the file'),
    ...mistakes(urlPaths[kind], (url) => partUrl(url).credentials !== null, 'has a user and password'),
  ];
}

function mistakesOfDefault(fields: Readonly<Record<string, unknown>>): Mistake[] {
  return ['url', 'secret'].flatMap((path) =>
    path in fields
      ? [{ path: [path], message: `of the consumer ${defaultName} is that of the account: delivery_${path}` }]
      : [],
  );
}

function schemaMistakes(
  kind: Kind,
  { name, checked, whole }: { name: string; checked: Record<string, unknown>; whole: boolean },
): Mistake[] {
  const schema = kind === 'account' ? accountSchema : kind === 'consumer' ? consumerSchema : destinationSchema;
  const isWhole = kind === 'destination' && whole && 'destination_type' in checked && 'config' in checked;
  const parsed = isWhole
    ? destinationSchemas.create.safeParse({ ...checked, name }, { error: plainWords })
    : schema.safeParse(checked, { error: plainWords });
  return (parsed.error?.issues ?? []).flatMap(({ path, message }) =>
    fieldErrors(path.join('.'), message).map((error) => ({ path: error.path.split('.'), message: error.message })),
  );
}
