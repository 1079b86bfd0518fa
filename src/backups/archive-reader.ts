import type { Readable } from 'node:stream';
import type { Keyring } from '../secrets/keyring.ts';
import { type ArchiveContent, openContent } from './archive-content.ts';
import { copyLine, endOfRows, firstLine } from './archive-text.ts';
import { BackupError, said } from './backup-error.ts';
import type { ArchivedTable, Manifest } from './manifest.ts';

/** Longer than any line that is not a row. The longest of them have column names or days. */
const maxLineBytes = 1024 * 1024;
const newline = 10;
const endInside = Buffer.from(`\n${endOfRows}`);
const endAtOnce = Buffer.from(endOfRows);

/** Reads the rows from an archive's text. Any difference from the manifest is an error. */
export class ArchiveReader {
  readonly #content: ArchiveContent;
  #pending: Buffer = Buffer.alloc(0);

  /**
   * @param file the bytes of the file, which `verifyArchive` has read before
   * @throws BackupError when no key of the keyring opens it.
   */
  constructor(file: Readable, manifest: Manifest, keyring: Keyring | null) {
    this.#content = openContent(file, manifest, keyring);
  }

  /** Checks the first line. Call it before `rowsOf`. */
  async begin(): Promise<void> {
    if ((await this.#line()) !== firstLine) throw misread('it does not begin as a backup does');
  }

  /** The rows of the manifest's next table. They must be read to their end. */
  async *rowsOf(table: ArchivedTable): AsyncGenerator<Buffer> {
    for (let line = ''; line !== copyLine(table); line = await this.#line())
      if (line.startsWith('COPY ')) throw misread(`there is another table where ${table.name} should be`);
    while (this.#pending.length < endAtOnce.length) await this.#more();
    if (this.#pending.subarray(0, endAtOnce.length).equals(endAtOnce)) return this.#drop(endAtOnce.length);
    for (;;) {
      const end = this.#pending.indexOf(endInside);
      if (end !== -1) {
        yield this.#pending.subarray(0, end + 1);
        return this.#drop(end + endInside.length);
      }
      // The last bytes may be the beginning of the end marker.
      const sure = this.#pending.length - endInside.length + 1;
      if (sure > 0) {
        yield this.#pending.subarray(0, sure);
        this.#drop(sure);
      }
      await this.#more();
    }
  }

  /** Reads to the end, and checks that the content is the one that was verified. */
  async finish(): Promise<void> {
    let line = '';
    while (line !== 'COMMIT;\n') {
      line = await this.#line();
      if (line.startsWith('COPY ')) throw misread('there are more tables than the manifest names');
    }
    const after = await this.#content.chunks.next();
    if (this.#pending.length > 0 || !after.done) throw misread('there is content after its end');
    if (!this.#content.isUnchanged()) throw misread('it has changed while it was read');
  }

  #drop(bytes: number): void {
    this.#pending = this.#pending.subarray(bytes);
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#pending.indexOf(newline);
      if (end !== -1) {
        const line = this.#pending.toString('utf8', 0, end + 1);
        this.#drop(end + 1);
        return line;
      }
      if (this.#pending.length > maxLineBytes) throw misread('a line is too long');
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#content.chunks.next().catch((error: unknown) => {
      throw misread(said(error));
    });
    if (done) throw misread('it ends too early');
    this.#pending = this.#pending.length === 0 ? value : Buffer.concat([this.#pending, value]);
  }
}

const misread = (why: string) => new BackupError(`The backup cannot be read: ${why}. Nothing was restored.`);
