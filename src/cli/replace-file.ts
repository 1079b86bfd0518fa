import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Replaces a file as a whole, so that a crash leaves the old or the new one. Only the user can read it (mode 0600). */
export function replaceFile(file: string, text: string): void {
  const next = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Of a process that had the same id and was killed.
  rmSync(next, { force: true });
  try {
    writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
    // The mode of a new file is reduced by the umask only.
    chmodSync(next, 0o600);
    renameSync(next, file);
  } finally {
    rmSync(next, { force: true });
  }
}
