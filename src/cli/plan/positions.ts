import { type Document, isNode, type LineCounter } from 'yaml';
import { CliError, exitCodes } from '../exit.ts';

/** The path of a value in the file: keys and indexes. */
export type FilePath = readonly (string | number)[];

/** Something that is wrong in the file. */
export interface Mistake {
  path: FilePath;
  /** To follow the path: `must be …`. */
  message: string;
}

/** Finds the lines of values in a YAML document. */
export class Positions {
  readonly #file: string;
  readonly #document: Document;
  readonly #lines: LineCounter;

  constructor(file: string, document: Document, lines: LineCounter) {
    this.#file = file;
    this.#document = document;
    this.#lines = lines;
  }

  /** `gateway.yaml:12:5`: where the value at a path is, or the nearest one around it. */
  at(path: FilePath): string {
    for (let length = path.length; length >= 0; length -= 1) {
      const node = this.#document.getIn(path.slice(0, length), true);
      if (!isNode(node) || !node.range) continue;
      const { line, col } = this.#lines.linePos(node.range[0]);
      return `${this.#file}:${line}:${col}`;
    }
    return this.#file;
  }

  /** The error of a file with mistakes: one line for each. */
  error(mistakes: readonly Mistake[]): CliError {
    const lines = mistakes.map(({ path, message }) => `${this.at(path)}: ${path.join('.') || 'the file'} ${message}`);
    return new CliError(exitCodes.wrongUsage, lines.join('\n'), 'Nothing was changed. Correct the file.');
  }
}
