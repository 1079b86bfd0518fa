import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

/** Files that Git ignores, and tests need. */
const built = ['src/console/dist'];

/**
 * Copies the checkout with its uncommitted changes into the folder for temporary files. The copy is a clone of its own,
 * because some tests read the history. Packages are links, so that nothing is installed; the caches next to them are not.
 */
export async function copyCheckout(root: string) {
  // Short, because the path of a socket has at most 107 characters.
  const folder = await mkdtemp(join(tmpdir(), 'mutants-'));
  // The database's user must be able to enter the folder.
  await chmod(folder, 0o755);
  const path = join(folder, 'checkout');
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  await chmod(temporary, 0o1777);

  await execa('git', ['clone', '--quiet', '--shared', '--no-checkout', root, path]);
  await execa('git', ['reset', '--quiet'], { cwd: path });
  const { stdout } = await execa('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  });
  for (const file of [...stdout.split('\0').filter((name) => name !== ''), ...built]) {
    // A deleted file is listed until the deletion is committed.
    if (!existsSync(join(root, file))) continue;
    await mkdir(dirname(join(path, file)), { recursive: true });
    cpSync(join(root, file), join(path, file), { recursive: true });
  }
  await mkdir(join(path, 'node_modules'));
  const isCache = (name: string) => name.startsWith('.') && name !== '.bin';
  for (const name of await readdir(join(root, 'node_modules')))
    if (!isCache(name)) await symlink(join(root, 'node_modules', name), join(path, 'node_modules', name));

  return {
    path,
    /** For temporary files of the tests. */
    temporary,
    /** Changes a file of the copy. */
    write: (file: string, text: string) => writeFileSync(join(path, file), text),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A copy of the checkout, in which files may be changed. */
export type Checkout = Awaited<ReturnType<typeof copyCheckout>>;
