import type { Keyring } from '../secrets/keyring.ts';
import { openContent } from './archive-content.ts';
import { BackupError, said } from './backup-error.ts';
import type { Manifest } from './manifest.ts';
import { columnsLeftOut, leftOut } from './tables.ts';
import { type ArchiveSource, unreadable } from './verify-archive.ts';

/**
 * The end of the text that is written only after the checksum is compared. It includes `COMMIT;`. So psql, which may
 * read the text while it is written, does not commit a file that has changed since it was verified.
 */
const heldBytes = 4096;

/**
 * The SQL text of an archive for psql.
 *
 * @param manifest of this archive, from `verifyArchive`
 * @throws BackupError when the file cannot be read, or is no longer what was verified, and when it has what is left out of
 *   backups.
 */
export async function* plainSql(
  source: ArchiveSource,
  manifest: Manifest,
  keyring: Keyring | null,
): AsyncGenerator<Buffer> {
  refuseLeftOut(source, manifest);
  const file = await source.open().catch((error: unknown) => {
    throw unreadable(source, error, incomplete);
  });
  const { chunks, isUnchanged } = openContent(file, manifest, keyring);
  let held: Buffer = Buffer.alloc(0);
  for (;;) {
    const { done, value } = await chunks.next().catch((error: unknown) => {
      throw new BackupError(`${source.name} cannot be read (${said(error)}). ${incomplete}`);
    });
    if (done) break;
    held = Buffer.concat([held, value]);
    const sure = held.length - heldBytes;
    if (sure <= 0) continue;
    yield held.subarray(0, sure);
    held = held.subarray(sure);
  }
  if (!isUnchanged()) throw new BackupError(`${source.name} has changed while it was read. ${incomplete}`);
  yield held;
}

/** psql would load all that is in the text. */
function refuseLeftOut({ name }: ArchiveSource, { tables, gateway_version: version }: Manifest): void {
  const found = tables.flatMap((table) =>
    table.name in leftOut ? [table.name] : columnsLeftOut(table).map((column) => `${table.name}.${column}`),
  );
  if (found.length === 0) return;
  throw new BackupError(
    `${name} has what backups leave out (${found.join(', ')}): gateway ${version} made it on the schema of a later release. ` +
      'Nothing was written. Restore it with `npm run restore`, which leaves it out.',
  );
}

const incomplete = 'What was written is not complete: delete it.';
