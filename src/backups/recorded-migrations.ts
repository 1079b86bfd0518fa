import type { Keyring } from '../secrets/keyring.ts';
import { ArchiveReader } from './archive-reader.ts';
import type { Manifest } from './manifest.ts';
import { type ArchiveSource, unreadable } from './verify-archive.ts';

const recordTable = 'applied_migrations';

/**
 * The migrations of the schema that a backup was made of, oldest first. The manifest names them, unless a worker of
 * release 0.2.0 made the backup on the schema of a later release: such a manifest names only the first migration, and
 * the record of the others is a table of the backup.
 *
 * @throws BackupError when the backup cannot be read.
 */
export async function recordedMigrations(
  source: ArchiveSource,
  manifest: Manifest,
  keyring: Keyring | null,
): Promise<string[]> {
  if (manifest.tables.every(({ name }) => name !== recordTable)) return manifest.migrations;
  const file = await source.open().catch((error: unknown) => {
    throw unreadable(source, error, 'Nothing was restored.');
  });
  try {
    const reader = new ArchiveReader(file, manifest, keyring);
    await reader.begin();
    for (const table of manifest.tables) {
      const chunks: Buffer[] = [];
      for await (const chunk of reader.rowsOf(table)) if (table.name === recordTable) chunks.push(chunk);
      if (table.name === recordTable)
        return [...manifest.migrations, ...namesIn(Buffer.concat(chunks).toString(), table.columns.indexOf('name'))];
    }
    return manifest.migrations;
  } finally {
    file.destroy();
  }
}

/** The values of a column in COPY's text format. Names of migrations have no characters that it escapes. */
const namesIn = (rows: string, column: number) =>
  rows
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => row.split('\t')[column] ?? '')
    .sort();
