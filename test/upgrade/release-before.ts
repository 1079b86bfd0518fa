import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/**
 * The release before this one, a commit whose package.json says 0.2.0. Both releases must be able to run at the same
 * time, and one must be able to go back to it. Checks and migrations/released.json name it by that version.
 */
const releaseBefore = '8ccbf094aee2d804c627b2220e649edc1416d123';

export const thisCheckout = fileURLToPath(new URL('../..', import.meta.url));
const packages = z.object({ dependencies: z.record(z.string(), z.string()) });
const installed = z.object({ version: z.string() });

/**
 * Writes files of a commit into a tar archive.
 *
 * @param path a folder of the repository; by default all of it.
 * @throws Error that says what to do when the history is missing.
 */
function archiveCommit(commit: string, archive: string, path = '.'): void {
  try {
    execFileSync('git', ['archive', '--output', archive, commit, path], { cwd: thisCheckout, stdio: 'pipe' });
  } catch (error) {
    throw new Error(
      `The commit ${commit} is not in this clone. A shallow clone has only the newest commits: run ` +
        '`git fetch --unshallow origin`, or `git fetch origin` for that commit. Without a clone, this test cannot run.',
      { cause: error },
    );
  }
}

/** As `archiveCommit`, of the release before. */
export const archiveReleaseBefore = (archive: string, path: string) => archiveCommit(releaseBefore, archive, path);

/** Writes the files of a commit into a new folder, with the packages of this checkout. */
export function checkOut(commit: string, target: string): void {
  const archive = `${target}.tar`;
  archiveCommit(commit, archive);
  mkdirSync(target);
  execFileSync('tar', ['-xf', archive, '-C', target]);
  rmSync(archive);
  symlinkSync(join(thisCheckout, 'node_modules'), join(target, 'node_modules'));
}

/**
 * Writes the files of the release before into `folder/release-before`, with the packages and the built console of this
 * checkout.
 *
 * @returns the folder of its package.json.
 * @throws Error that says what to do when the history or a package is missing.
 */
export function checkOutReleaseBefore(folder: string): string {
  const target = join(folder, 'release-before');
  checkOut(releaseBefore, target);
  const needed = packages.parse(JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'))).dependencies;
  const other = Object.entries(needed).filter(([name, wanted]) => versionOf(name) !== wanted);
  if (other.length > 0)
    throw new Error(
      `The release before (${releaseBefore}) needs other packages than this checkout has: ` +
        `${other.map(([name, wanted]) => `${name} ${wanted}, not ${versionOf(name)}`).join('; ')}. ` +
        'Install its own packages for this test, with `npm ci` in its folder, in place of the link to node_modules.',
    );
  // The release before knows no fonts, and does not start with a file that it cannot serve.
  const console = 'src/console/dist';
  const isKnown = (file: string) => !file.endsWith('.woff2');
  cpSync(join(thisCheckout, console), join(target, console), { recursive: true, filter: isKnown });
  return target;
}

function versionOf(name: string): string | null {
  try {
    const text = readFileSync(join(thisCheckout, 'node_modules', name, 'package.json'), 'utf8');
    return installed.parse(JSON.parse(text)).version;
  } catch {
    return null;
  }
}
