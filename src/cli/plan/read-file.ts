import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Document, isMap, LineCounter, parseDocument } from 'yaml';
import { isConsumerName } from '../../consumers/consumer-rules.ts';
import { providers } from '../../providers/registry.ts';
import { isRecord } from '../../shared/is-record.ts';
import type { Environment } from '../environment.ts';
import { CliError, exitCodes, usageError } from '../exit.ts';
import { mistakesOf, type Wanted } from './check.ts';
import { type FilePath, type Mistake, Positions } from './positions.ts';
import { mayBeReference, type Reference, References, referenceForms, referencePattern } from './references.ts';

/** An account of the file. Its `name` is `provider/slug`. */
export interface WantedAccount extends Wanted {
  provider: string;
  slug: string;
  consumers: Wanted[];
  destinations: Wanted[];
}

const accountKey = /^[a-z0-9_-]+\/[A-Za-z0-9._~-]{1,100}$/;

/**
 * The accounts in a file such as `gateway.yaml`.
 *
 * @throws CliError that names the line of each mistake
 */
export async function readPlanFile(file: string, env: Environment): Promise<WantedAccount[]> {
  const { content, positions } = await parse(file);
  const reader = new Reader(new References({ env, folder: dirname(file) }));
  const accounts = await reader.accounts(content);
  if (reader.mistakes.length > 0) throw positions.error(reader.mistakes);
  return accounts;
}

async function parse(file: string) {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${error.message}`;
    throw usageError(`${file} ${why}`, 'Name the file with --file; `webhook-gateway export` writes one.');
  });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
  if (document.errors.length > 0) {
    const found = document.errors.map(({ pos, message }) => {
      const { line, col } = lines.linePos(pos[0]);
      return `${file}:${line}:${col}: ${message}`;
    });
    throw new CliError(exitCodes.wrongUsage, found.join('\n'), 'Nothing was changed. Correct the file.');
  }
  if (!isMap(document.contents))
    throw usageError(`${file} must begin with \`accounts:\``, '`webhook-gateway export` writes such a file.');
  return { content: contentOf(document, file), positions: new Positions(file, document, lines) };
}

function contentOf(document: Document.Parsed, file: string): unknown {
  try {
    // Without a limit of aliases: all accounts may have their common settings from one anchor.
    return document.toJS({ maxAliasCount: -1 });
  } catch (error) {
    // An alias of an anchor that is not there, or a merge of what has no fields.
    throw usageError(`${file}: ${(error as Error).message}`, 'Nothing was changed. Correct the file.');
  }
}

class Reader {
  readonly mistakes: Mistake[] = [];
  readonly #references: References;

  constructor(references: References) {
    this.#references = references;
  }

  async accounts(content: unknown): Promise<WantedAccount[]> {
    const read: WantedAccount[] = [];
    for (const name of Object.keys(isRecord(content) ? content : {}))
      if (name !== 'accounts') this.#mistake([name], 'is not a known field');
    const given = this.#map(isRecord(content) ? content.accounts : undefined, ['accounts']);
    for (const [key, account] of Object.entries(given)) {
      const path = ['accounts', key];
      const [provider = '', slug = ''] = key.split('/');
      if (!accountKey.test(key)) this.#mistake(path, 'must be named as provider/slug, such as generic/shop');
      else if (!providers.has(provider)) this.#mistake(path, `names the provider ${provider}, which does not exist`);
      const { consumers, destinations, ...fields } = this.#map(account, path);
      const wanted = await this.#wanted('account', provider, { name: key, fields, path });
      read.push({
        ...{ ...wanted, provider, slug },
        consumers: await this.#each('consumer', provider, consumers, [...path, 'consumers']),
        destinations: await this.#each('destination', provider, destinations, [...path, 'destinations']),
      });
    }
    return read;
  }

  async #each(kind: 'consumer' | 'destination', provider: string, given: unknown, path: FilePath): Promise<Wanted[]> {
    const read: Wanted[] = [];
    for (const [name, fields] of Object.entries(given === undefined ? {} : this.#map(given, path))) {
      const own = [...path, name];
      if (kind === 'consumer' && !isConsumerName(name))
        this.#mistake(own, 'must be named with 1 to 40 characters of a-z, 0-9 and -');
      if (kind === 'destination' && (name === '' || name.length > 200))
        this.#mistake(own, 'must have a name of 1 to 200 characters');
      read.push(await this.#wanted(kind, provider, { name, fields: this.#map(fields, own), path: own }));
    }
    return read;
  }

  async #wanted(
    kind: 'account' | 'consumer' | 'destination',
    provider: string,
    { name, fields, path }: { name: string; fields: Record<string, unknown>; path: FilePath },
  ): Promise<Wanted> {
    const references = new Map<string, Reference>();
    const resolved = await this.#resolved(fields, { path, within: [], references });
    const wanted = { name, fields: isRecord(resolved) ? resolved : {}, references };
    for (const mistake of mistakesOf(kind, provider, wanted))
      this.#mistake([...path, ...mistake.path], mistake.message);
    return wanted;
  }

  /** The value with its references resolved. What is not set is left out, and so is a list that misses one. */
  async #resolved(
    value: unknown,
    at: { path: FilePath; within: FilePath; references: Map<string, Reference> },
  ): Promise<unknown> {
    if (typeof value === 'string' && mayBeReference(value)) {
      if (!referencePattern.test(value)) {
        this.#mistake([...at.path, ...at.within], `must be one reference and nothing else: ${referenceForms}`);
        return value;
      }
      const reference = await this.#references.of(value);
      at.references.set(at.within.join('.'), reference);
      return reference.value;
    }
    const inner = (name: string | number) => ({ ...at, within: [...at.within, name] });
    if (Array.isArray(value)) {
      const items = await Promise.all(value.map((one, n) => this.#resolved(one, inner(n))));
      // Without one of its values a list says something else.
      return items.includes(undefined) ? undefined : items;
    }
    if (!isRecord(value)) return value;
    const fields: Record<string, unknown> = {};
    for (const [name, held] of Object.entries(value)) {
      const found = await this.#resolved(held, inner(name));
      if (found !== undefined) fields[name] = found;
    }
    return fields;
  }

  #map(value: unknown, path: FilePath): Record<string, unknown> {
    if (isRecord(value)) return value;
    // `billing:` without fields.
    if (value !== null) this.#mistake(path, value === undefined ? 'is required' : 'must have fields');
    return {};
  }

  #mistake(path: FilePath, message: string): void {
    // Of several mistakes in one value, the first says most.
    if (this.mistakes.every((one) => one.path.join('\n') !== path.join('\n'))) this.mistakes.push({ path, message });
  }
}
