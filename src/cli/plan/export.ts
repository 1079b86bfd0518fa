import { Document } from 'yaml';
import { MASKED } from '../../secrets/masked.ts';
import { isRecord } from '../../shared/is-record.ts';
import { CliError, exitCodes } from '../exit.ts';
import { setPath } from '../set-path.ts';
import { type Current, type CurrentAccount, refuseSameNames } from './current.ts';
import { defaults, type Kind, secretOfAuthentication } from './fields.ts';
import { isSame } from './same.ts';

/**
 * The accounts as a file whose plan shows no difference. Fields with their default are left out, and secrets become
 * references to variables that the file lists.
 *
 * @throws CliError for settings that do not decrypt, and destinations with the same name
 */
export function exportText(accounts: readonly CurrentAccount[]): string {
  const names = new VariableNames();
  const exported: Record<string, unknown> = {};
  for (const account of accounts) {
    refuseSameNames(account, () => true);
    const fields = exportedFields('account', account, names, [account.name]);
    const each = (kind: 'consumer' | 'destination', all: readonly Current[]) =>
      all
        .map((one) => [one.name, exportedFields(kind, one, names, [account.name, one.name])] as const)
        .filter(([name, held]) => name !== 'default' || kind !== 'consumer' || Object.keys(held).length > 0);
    const consumers = each('consumer', account.consumers);
    const destinations = each('destination', account.destinations);
    exported[account.name] = {
      ...fields,
      ...(consumers.length > 0 ? { consumers: Object.fromEntries(consumers) } : {}),
      ...(destinations.length > 0 ? { destinations: Object.fromEntries(destinations) } : {}),
    };
  }
  const document = new Document({ accounts: exported });
  document.commentBefore = heading(names.all);
  return document.toString({ lineWidth: 0 });
}

const heading = (variables: readonly string[]) =>
  [
    ' The settings of the gateway, for `webhook-gateway plan` and `apply`.',
    ...(variables.length === 0
      ? []
      : [
          ' Secrets are in these variables. One that is not set leaves its secret as it is.',
          ...variables.map((name) => `   ${name}`),
        ]),
  ].join('\n');

function exportedFields(kind: Kind, one: Current, names: VariableNames, within: string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(one.fields)) {
    if (isUnreadable(path, value))
      throw new CliError(
        exitCodes.failed,
        `${within.join(' ')}: ${path} does not decrypt with SECRETS_KEY, so it cannot be exported`,
        'Set it again first.',
      );
    if (isSame(path, value, defaults[kind][path] ?? null)) continue;
    if (path === 'authentication' && isRecord(value)) fields.authentication = authentication(value, names, within);
    // A user and password.
    else if (typeof value === 'string' && value.includes(`://${MASKED}@`))
      setPath(fields, path.split('.'), names.of([...within, path]));
    else setPath(fields, path.split('.'), value);
  }
  for (const path of one.secrets)
    if (path !== 'authentication') setPath(fields, path.split('.'), names.of([...within, path]));
  return fields;
}

function authentication(shown: Record<string, unknown>, names: VariableNames, within: string[]) {
  const { subject: _, expires_at: __, ...fields } = shown;
  const secret = secretOfAuthentication[String(shown.type)] ?? '';
  return { ...fields, [secret]: names.of([...within, secret]) };
}

const isUnreadable = (path: string, value: unknown) =>
  (path === 'provider_config' && value === null) ||
  (path === 'signature' && value === 'unreadable') ||
  (path === 'authentication' && isRecord(value) && value.type === 'unreadable');

/** Names of variables, each used once. */
class VariableNames {
  readonly all: string[] = [];

  /** A reference to a new variable, named for the place of the secret. */
  of(place: readonly string[]): string {
    const name = place
      .join('_')
      .replace(/\bconfig\./g, '')
      .replace(/[^A-Za-z0-9]+/g, '_')
      .toUpperCase();
    let free = name;
    for (let n = 2; this.all.includes(free); n += 1) free = `${name}_${n}`;
    this.all.push(free);
    return `\${env:${free}}`;
  }
}
