import type { Command } from 'commander';
import { isRecord } from '../shared/is-record.ts';
import type { Cli } from './cli.ts';
import { usageError } from './exit.ts';
import { parsePair } from './inputs.ts';
import { repeated } from './options.ts';
import { readInput, readSecret } from './read-input.ts';
import { setPath } from './set-path.ts';

export interface FieldOptions {
  set?: string[];
  setFile?: string[];
  file?: string;
}

type Fields = { [name: string]: unknown };

/** Fields that hold secrets. Arguments are in the history of the shell, and other users of a machine can see them. */
const secretName = /(^|[._])(secret|password|token|key|value|signing_secret\w*|\w+_secret|\w+_token|webhook_url)$/;
const notSecret = /(^|[._])(app_key|public_key|\w+_expires_at)$/;
const urlWithPassword = /^\w+:\/\/[^/]*@/;
const isSecret = (path: string, value: unknown) =>
  (secretName.test(path) && !notSecret.test(path) && value !== null) || urlWithPassword.test(String(value));

/** The path of the first secret in a value, which may be an object: `authentication.token`. */
function secretIn(path: string, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return isSecret(path, value) ? path : undefined;
  return Object.entries(value).flatMap(([name, inner]) => secretIn(`${path}.${name}`, inner) ?? [])[0];
}

/** Adds the options that give fields of a new or changed thing. */
export const withFields = (command: Command, fields: readonly string[]): Command =>
  command
    .option('--set <field=value>', 'a field; repeat it for others. a.b=1 sets b of a', repeated)
    .option('--set-file <field=path>', 'a field with the content of a file, for secrets; - is standard input', repeated)
    .option('--file <path>', 'JSON with all fields; - is standard input')
    .addHelpText('after', `\nFields: ${fields.join(', ')}. docs/admin-api.md says what they mean.`);

/**
 * The fields of the options: those of `--file`, changed by those of `--set` and `--set-file`.
 *
 * @throws CliError if there are none, and for a secret in an argument
 */
export async function givenFields(cli: Cli, { set = [], setFile = [], file }: FieldOptions): Promise<Fields> {
  const fields = file === undefined ? {} : parsedObject(await readInput(cli, file), file);
  for (const pair of set) {
    const [path, text] = parsePair(pair, '--set');
    const value = givenValue(text);
    const secret = secretIn(path, value);
    if (secret !== undefined)
      throw usageError(
        `${secret} is or contains a secret, which other users of this machine could see`,
        `Use --set-file ${secret}=<path>, or --set-file ${secret}=- for standard input.`,
      );
    setPath(fields, path.split('.'), value);
  }
  for (const pair of setFile) {
    const [path, from] = parsePair(pair, '--set-file');
    setPath(fields, path.split('.'), await readSecret(cli, from, path));
  }
  if (Object.keys(fields).length === 0) throw usageError('no field is given', 'Use --set, --set-file or --file.');
  return fields;
}

/** JSON where it is JSON: numbers, lists, true, null. All other texts are themselves. */
function givenValue(text: string): unknown {
  if (!/^(-?\d|[[{"]|(true|false|null)$)/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function parsedObject(text: string, file: string): Fields {
  try {
    const read: unknown = JSON.parse(text);
    if (isRecord(read)) return read;
  } catch {
    // The message would show a part of the text, which may be a secret.
  }
  throw usageError(`${file === '-' ? 'standard input' : file} is not a JSON object`, 'Write it as {"field": "value"}.');
}
