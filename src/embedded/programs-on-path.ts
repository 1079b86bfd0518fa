import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * The executable files with this name in the absolute folders of a PATH, in the order in which a shell finds them. The
 * package `which` also searches the current folder: for relative and empty parts, and for an empty PATH.
 */
export async function programsOnPath(name: string, path: string): Promise<string[]> {
  const found: string[] = [];
  for (const folder of new Set(path.split(delimiter).filter(isAbsolute))) {
    const program = join(folder, name);
    if (await isExecutable(program)) found.push(program);
  }
  return found;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
