import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { CliError, exitCodes } from '../exit.ts';

/** A value of the file that stands elsewhere: `${env:NAME}` or `${file:path}`. */
export interface Reference {
  /** As it is written. */
  text: string;
  /** Undefined: the variable is not set or empty, or the file does not exist. */
  value: string | undefined;
}

/** A whole text that is a reference. */
export const referencePattern = /^\$\{(env:[A-Za-z_][A-Za-z0-9_]*|file:[^{}]+)\}$/;

/** How references are written, for errors. */
export const referenceForms = `\${env:NAME} or \${file:path}`;

/** Whether a text has the beginning of a reference, at any place. */
export const mayBeReference = (text: string) => /\$\{(env|file):/.test(text);

/** Finds the values of references. Reads each file once. */
export class References {
  readonly #env: Environment;
  readonly #folder: string;
  readonly #known = new Map<string, Promise<Reference>>();

  /** @param options.folder to which the paths of files are relative: that of the file with the references */
  constructor(options: { env: Environment; folder: string }) {
    this.#env = options.env;
    this.#folder = options.folder;
  }

  /**
   * The reference in a text that matches `referencePattern`.
   *
   * @throws CliError for a file that cannot be read
   */
  of(text: string): Promise<Reference> {
    const known = this.#known.get(text) ?? this.#read(text);
    this.#known.set(text, known);
    return known;
  }

  async #read(text: string): Promise<Reference> {
    const [, kind, name = ''] = /^\$\{(env|file):(.*)\}$/.exec(text) ?? [];
    // CI services set a variable without a value to an empty text.
    const value = kind === 'env' ? this.#env[name] : await this.#fileText(name);
    return { text, value: value === '' ? undefined : value };
  }

  async #fileText(path: string): Promise<string | undefined> {
    try {
      // Editors and `echo` end a file with a line break, which no secret has.
      return (await readFile(resolve(this.#folder, path), 'utf8')).replace(/\r?\n$/, '');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      const reason = error instanceof Error ? error.message : String(error);
      throw new CliError(
        exitCodes.failed,
        `the file ${path} cannot be read: ${reason}`,
        'Nothing was changed. Make it readable.',
      );
    }
  }
}
