import { createWriteStream, rmSync } from 'node:fs';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BackupError } from '../backups/backup-error.ts';
import { plainSql } from '../backups/plain-sql.ts';
import { verifyArchive } from '../backups/verify-archive.ts';
import { StartError } from '../shared/start-error.ts';
import { givenBackup, sourceOf, warningOf } from './given-backup.ts';
import { existingKeyring } from './own-keys.ts';
import type { RoleContext } from './role-context.ts';

const usage = `npm run --silent backup-sql -- <file> > out.sql
npm run backup-sql -- <file> --output out.sql [--unverified]

<file> is the path of a backup, or the name of one in BACKUP_DIR or BACKUP_URL. Its content is written as SQL for psql. The file of
--output must not exist yet, and is for this user alone. SECRETS_KEY must be the key that the backup was made with.

--unverified takes a file without a valid signature. psql runs every command in such a file, and those of its writer can run
programs on your machine: read it before you load it.`;

/**
 * The role `backup-sql`: verifies a backup and writes its content as SQL text. Standard output contains nothing else.
 */
export async function runBackupSql(context: RoleContext): Promise<void> {
  const { file, target: output, allowUnverified } = givenBackup(context.arguments, 'output', usage);
  try {
    const source = await sourceOf(file, context);
    const keyring = existingKeyring(context.config);
    const { manifest, unverified } = await verifyArchive(source, { keyring, allowUnverified });
    if (unverified !== null)
      console.error(`${warningOf(source.name, unverified)} psql would run every command in it: read it first.`);
    const sql = Readable.from(plainSql(source, manifest, keyring), { objectMode: false });
    await (output === null ? pipeline(sql, withoutEnd(process.stdout)) : intoFile(sql, output));
  } catch (error) {
    if (error instanceof BackupError) throw new StartError(error.message);
    // The reader closed the pipe, as `| head` does.
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE')
      throw new StartError('The output was closed.');
    throw error;
  }
}

/** Writes chunks without ending the stream, because Node's standard output cannot be closed. */
async function* chunksInto(sql: AsyncIterable<Buffer>, stdout: Writable): AsyncGenerator<never> {
  for await (const chunk of sql)
    await new Promise<void>((resolve, reject) => {
      stdout.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
}
const withoutEnd = (stdout: Writable) => (sql: AsyncIterable<Buffer>) => chunksInto(sql, stdout);

async function intoFile(sql: Readable, output: string): Promise<void> {
  let isOurs = false;
  const file = createWriteStream(output, { flags: 'wx', mode: 0o600, flush: true });
  const remove = () => {
    if (isOurs) rmSync(output, { force: true });
  };
  file.on('open', () => {
    isOurs = true;
  });
  // Also when the process is interrupted: the file is readable text, and not complete.
  process.on('exit', remove);
  try {
    await pipeline(sql, file);
  } catch (error) {
    remove();
    if (error instanceof BackupError) throw error;
    throw new BackupError(`${output} cannot be written (${error instanceof Error ? error.message : String(error)}).`);
  } finally {
    process.off('exit', remove);
  }
}
