import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Database } from '../database/database.ts';
import type { Keyring, SecretsKey } from '../secrets/keyring.ts';
import type { Log } from '../shared/log.ts';
import { version } from '../shared/version.ts';
import { type ArchiveHead, beginning, copyLine, ending, endOfRows } from './archive-text.ts';
import type { BackupStore } from './backup-store.ts';
import { encrypting } from './encryption.ts';
import { nameOf } from './judge-manifest.ts';
import { type ArchivedTable, formatVersion, type Manifest, manifestLine } from './manifest.ts';
import { manifestMember } from './manifest-member.ts';
import { signManifest } from './manifest-signature.ts';
import { explainDatabase, openSnapshot, type Snapshot } from './snapshot.ts';
import { Throttle } from './throttle.ts';

/** The properties of a completed backup. */
export interface MadeBackup {
  name: string;
  sizeBytes: number;
  /** The hash of the whole file, as `sha256sum` prints it. */
  sha256: string;
  rows: number;
  encrypted: boolean;
  /** The id of the key that signed the backup and, if `encrypted`, encrypted it. */
  keyId: string;
}

/** The result of writing a backup. */
export interface BackupSummary extends MadeBackup {
  rowsByTable: Record<string, number>;
  durationMs: number;
}

export interface WriteDeps {
  database: Pick<Database, 'url'>;
  store: BackupStore;
  /** Its current key signs and encrypts the backup. */
  keyring: Keyring;
  /** False leaves the content readable for anyone with access to the file. It is signed in either case. */
  encrypt: boolean;
  log: Log;
}

/** How far a backup is. */
export interface BackupProgress {
  /** The table that is being read. */
  table: string;
  /** Rows written so far, of all tables. */
  rows: number;
  /** Bytes of the file so far. */
  bytes: number;
  /** How many tables are written completely, of how many. */
  tables: number;
  allTables: number;
}

export interface BackupOptions {
  /** The backup's id: a UUID. */
  id: string;
  signal: AbortSignal;
  /** Called several times per second while rows are read. */
  onProgress(progress: BackupProgress): void;
  /** Called with the snapshot's id before any row is read, so that another transaction can read the same state. */
  onSnapshot?(id: string): Promise<void>;
}

/** Compression takes most of the time. Level 1 is several times as fast as level 6, and the file a quarter larger. */
const gzipLevel = 1;
/** Large chunks, because each costs an iteration of the event loop. Only a few of them are in memory at a time. */
const chunkBytes = 256 * 1024;
const progressMs = 250;

/**
 * Writes one consistent backup of the whole gateway database to the store. It streams: memory holds only a few buffers,
 * and reading waits for the store. Deliveries and ingestion continue.
 *
 * @throws BackupError; in this case the store contains nothing of the backup.
 */
export async function writeBackup(deps: WriteDeps, options: BackupOptions): Promise<BackupSummary> {
  const { database, store, log } = deps;
  const { signal } = options;
  const startedMs = performance.now();
  const snapshot = await openSnapshot(database.url, signal);
  try {
    if (snapshot.foreign.length > 0)
      log.warn(
        { tables: snapshot.foreign },
        "tables that are not the gateway's are in its database, and not in the backup",
      );
    if (options.onSnapshot) await options.onSnapshot(await snapshot.exportId());
    const archive = new Archive(snapshot, deps, options);
    const name = nameOf(archive.head);
    const { encrypted, key_id: keyId } = archive.head;
    const { sizeBytes } = await store.write(name, Readable.from(archive.chunks(), { objectMode: false }), signal);
    const { rows, rowsByTable, sha256 } = archive.summary();
    const durationMs = performance.now() - startedMs;
    log.info({ name, place: store.place, sizeBytes, rows, durationMs, encrypted, keyId }, 'backup written');
    return { name, sizeBytes, sha256, rows, rowsByTable, durationMs, encrypted, keyId };
  } catch (error) {
    throw explainDatabase(error, signal);
  } finally {
    await snapshot.close();
  }
}

/** Produces the bytes of one archive and their summary. */
class Archive {
  readonly head: ArchiveHead;
  readonly #snapshot: Snapshot;
  readonly #options: BackupOptions;
  readonly #key: SecretsKey;
  readonly #tables: ArchivedTable[] = [];
  readonly #file = createHash('sha256');
  readonly #throttle = new Throttle();
  #bytes = 0;
  #toldAtMs = 0;

  constructor(snapshot: Snapshot, { keyring, encrypt }: WriteDeps, options: BackupOptions) {
    this.#snapshot = snapshot;
    this.#options = options;
    this.#key = keyring.current;
    const { migrations, sequences, tables, auditHead, takenAt } = snapshot;
    this.head = {
      id: options.id,
      created_at: takenAt.toISOString(),
      gateway_version: version,
      key_id: keyring.current.id,
      encrypted: encrypt,
      ...{ migrations, sequences, audit_head: auditHead },
      tables: tables.map(({ name, columns, triggers, days, storage }) => ({ name, columns, triggers, days, storage })),
    };
  }

  async *chunks(): AsyncGenerator<Buffer> {
    const gzip = createGzip({ level: gzipLevel, chunkSize: chunkBytes });
    const last = this.head.encrypted ? encrypting(this.#key) : gzip;
    // If one stream fails, the loop below fails too; this promise has the first error.
    const content = last === gzip ? pipeline(this.#text(), gzip) : pipeline(this.#text(), gzip, last);
    content.catch(() => undefined);
    try {
      for await (const chunk of last) yield this.#counted(chunk);
      await content;
    } catch (error) {
      // The first error has the reason; the error of the last stream may only say that it was closed.
      const first = await content.catch((thrown: unknown) => thrown);
      throw explainDatabase(first ?? error, this.#options.signal);
    } finally {
      gzip.destroy();
      last.destroy();
    }
    yield this.#counted(manifestMember(signManifest(manifestLine(this.#manifest()), this.#key)));
  }

  summary() {
    return {
      rows: this.#rows(),
      rowsByTable: Object.fromEntries(this.#tables.map(({ name, rows }) => [name, rows])),
      sha256: this.#file.digest('hex'),
    };
  }

  #rows(): number {
    return this.#tables.reduce((sum, { rows }) => sum + rows, 0);
  }

  #manifest(): Manifest {
    const sha256 = this.#file.copy().digest('hex');
    return {
      format: formatVersion,
      ...this.head,
      bytes: this.#bytes,
      sha256,
      rows: this.#rows(),
      tables: this.#tables,
    };
  }

  #counted(chunk: Buffer): Buffer {
    this.#file.update(chunk);
    this.#bytes += chunk.length;
    return chunk;
  }

  async *#text(): AsyncGenerator<Buffer | string> {
    yield beginning(this.head);
    for (const [n, table] of this.#snapshot.tables.entries()) {
      const described = this.head.tables[n];
      if (!described) throw new Error(`${table.name} is not described`);
      yield copyLine(table);
      let rows = 0;
      for (const part of table.parts) {
        const { stream, rowCount } = this.#snapshot.rowsOf(table, part);
        let seen = rows;
        for await (const chunk of stream) {
          seen += linesIn(chunk);
          this.#tell(table.name, seen);
          yield chunk;
          await this.#throttle.step(this.#options.signal);
        }
        rows += await rowCount();
      }
      this.#tables.push({ ...described, rows });
      yield endOfRows;
    }
    yield ending(this.head);
  }

  #tell(table: string, rows: number): void {
    const nowMs = performance.now();
    if (nowMs - this.#toldAtMs < progressMs) return;
    this.#toldAtMs = nowMs;
    const allTables = this.#snapshot.tables.length;
    const done = { rows: this.#rows() + rows, bytes: this.#bytes, tables: this.#tables.length };
    this.#options.onProgress({ table, ...done, allTables });
  }
}

/** Counts the rows in a chunk. Each row is one line, because line breaks within values are escaped. */
function linesIn(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++;
  return lines;
}
