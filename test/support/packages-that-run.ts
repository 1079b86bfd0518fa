import {
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const thisCheckout = fileURLToPath(new URL('../..', import.meta.url));
const lock = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) });

/** What the Dockerfile copies; with the pages of the console that are built here. */
const copied = ['package.json', 'src', 'workflows', 'activities', 'migrations'];

/**
 * Makes a checkout as it is after `npm ci --omit=dev`: without development dependencies.
 *
 * @returns its folder, below `folder`
 */
export function checkOutWithoutDevPackages(folder: string): string {
  const target = join(folder, 'without-dev-packages');
  mkdirSync(target);
  for (const name of copied) cpSync(join(thisCheckout, name), join(target, name), { recursive: true });
  for (const path of installedToRun()) linkFolder(join(thisCheckout, path), join(target, path));
  return target;
}

/** The folders of `npm ci --omit=dev`, each below `node_modules`. An optional package of another platform is missing. */
function installedToRun(): string[] {
  const { packages } = lock.parse(JSON.parse(readFileSync(join(thisCheckout, 'package-lock.json'), 'utf8')));
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path]) => path);
}

/** A package without the packages inside it, which the lock file lists by themselves. */
function linkFolder(from: string, to: string): void {
  const entries = entriesOf(from);
  if (!entries) return;
  mkdirSync(to, { recursive: true });
  for (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (!entry.isDirectory()) linkFile(source, target);
    else if (entry.name !== 'node_modules') linkFolder(source, target);
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    // The folder for temporary files is on another disk, or the file belongs to another user.
    if (!(error instanceof Error && 'code' in error && (error.code === 'EXDEV' || error.code === 'EPERM'))) throw error;
    copyFileSync(from, to);
  }
}
