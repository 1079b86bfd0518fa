import type { AdminApiClient } from '../../api/client.ts';
import { defaultName } from '../../consumers/consumer-rules.ts';
import { isRecord } from '../../shared/is-record.ts';
import { answered } from '../answered.ts';
import { CliError, exitCodes } from '../exit.ts';
import { fieldSchemas, type Kind, openedFields, secretPaths } from './fields.ts';

/** An account, consumer or destination of the gateway. */
export interface Current {
  id: string;
  name: string;
  updatedAt: string;
  /** As they are shown, by path. */
  fields: Readonly<Record<string, unknown>>;
  /** The paths of the secrets that are set. */
  secrets: ReadonlySet<string>;
}

export interface CurrentAccount extends Current {
  provider: string;
  /** `default` first. */
  consumers: Current[];
  destinations: Current[];
}

/** The accounts of the gateway. @param wanted which ones, by `provider/slug`; null: all */
export async function readCurrent(
  admin: AdminApiClient,
  wanted: ReadonlySet<string> | null,
): Promise<CurrentAccount[]> {
  const read: CurrentAccount[] = [];
  for (const { id, provider, account_slug } of answered(await admin.accounts.get({ query: {} }))) {
    const name = `${provider}/${account_slug}`;
    if (wanted !== null && !wanted.has(name)) continue;
    const calls = admin.accounts({ account_id: id });
    const [account, consumers, destinations] = await Promise.all([
      calls.get(),
      calls.consumers.get(),
      calls.destinations.get(),
    ]);
    const shown = (kind: Kind) => (one: Record<string, unknown>) => toCurrent(kind, provider, one);
    read.push({
      ...{ ...shown('account')({ ...answered(account), name }), provider },
      consumers: answered(consumers).map(shown('consumer')),
      destinations: answered(destinations).map(shown('destination')),
    });
  }
  return read;
}

/** The names that several destinations of an account have. @throws CliError with their ids, if they matter */
export function refuseSameNames({ name: account, destinations }: CurrentAccount, matters: (name: string) => boolean) {
  const names = [...new Set(destinations.map(({ name }) => name))].filter(matters);
  const found = names
    .map((name) => [name, destinations.filter((one) => one.name === name)] as const)
    .filter(([, same]) => same.length > 1);
  if (found.length === 0) return;
  const lines = found.map(
    ([name, same]) => `${account} has ${same.length} destinations ${name}: ${same.map(({ id }) => id).join(', ')}`,
  );
  throw new CliError(
    exitCodes.refused,
    lines.join('\n'),
    'A file knows destinations by their names. Rename or delete all but one: `webhook-gateway destinations`.',
  );
}

/** Whether a file can have a field that is shown. A later gateway may show others. */
const isInFile = (kind: Kind, path: string) => Object.hasOwn(fieldSchemas[kind], path.split('.')[0] ?? '');

function toCurrent(kind: Kind, provider: string, shown: Record<string, unknown>): Current {
  const { id, name, updated_at } = shown;
  const paths = secretPaths(kind, provider);
  const fields: Record<string, unknown> = {};
  const secrets = new Set<string>();
  for (const [path, value] of opened(kind, shown)) {
    const secret = path.replace(/(^|\.)has_/, '$1');
    if (secret !== path && paths.includes(secret)) {
      if (value === true) secrets.add(secret);
    } else if (paths.includes(path)) secrets.add(path);
    else if (isInFile(kind, path)) fields[path] = value;
  }
  if (kind === 'consumer' && name === defaultName) {
    // These are the account's.
    delete fields.url;
    secrets.delete('secret');
  }
  return { ...{ id: String(id), name: String(name), updatedAt: String(updated_at) }, fields, secrets };
}

/** The fields by path: those of `config` and `provider_config` one by one. */
export function opened(kind: Kind, fields: Readonly<Record<string, unknown>>): [path: string, value: unknown][] {
  return Object.entries(fields).flatMap(([name, value]): [string, unknown][] =>
    name === openedFields[kind] && isRecord(value)
      ? Object.entries(value).map(([inner, held]) => [`${name}.${inner}`, held])
      : [[name, value]],
  );
}
