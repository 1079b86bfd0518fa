import { writeFileSync } from 'node:fs';
import { usageError } from './exit.ts';

/**
 * Writes a file that does not exist yet. An existing one may hold what cannot be found again.
 *
 * @throws CliError if it exists, or cannot be written
 */
export function writeNewFile(path: string, content: string | Uint8Array, mode = 0o666): void {
  try {
    writeFileSync(path, content, { mode, flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'EEXIST'
      ? usageError(`${path} exists`, 'Name another file, or delete it first.')
      : usageError(`${path} cannot be written: ${code}`, 'Name a file in a folder that you can write.');
  }
}
