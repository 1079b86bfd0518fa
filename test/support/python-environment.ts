import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { defaultCacheDir } from '../../src/embedded/temporal-program.ts';

const { HOME: home = null, XDG_CACHE_HOME: cacheHome = null } = process.env;

/** A virtual environment of Python that is created once, and kept in the cache. */
export interface PythonEnvironment {
  /** Its folder in the cache, which names the versions of its packages. */
  name: string;
  /** The packages with their versions, as pip takes them. */
  packages: readonly string[];
}

const folderOf = ({ name }: PythonEnvironment) => join(defaultCacheDir({ home, cacheHome }), name);
/** Written last, so that an interrupted installation is repeated. */
const markOf = (environment: PythonEnvironment) => join(folderOf(environment), 'installed');

/** Whether it was created before. */
export const isInstalled = (environment: PythonEnvironment): boolean => existsSync(markOf(environment));

/** The path of a program of the environment. */
export const pythonProgram = (environment: PythonEnvironment, program: string): string =>
  join(folderOf(environment), 'bin', program);

/**
 * Creates the environment if it is not in the cache, with the machine's Python and the package index of pip's
 * configuration.
 *
 * @throws Error that says what is needed
 */
export async function install(environment: PythonEnvironment): Promise<void> {
  if (isInstalled(environment)) return;
  const { name, packages } = environment;
  console.log(`Installing ${packages.join(', ')} (once) …`);
  const folder = folderOf(environment);
  try {
    await rm(folder, { recursive: true, force: true });
    await execa('python3', ['-m', 'venv', folder], { stderr: 'inherit' });
    const options = ['install', '--quiet', '--disable-pip-version-check'];
    await execa(pythonProgram(environment, 'pip'), [...options, ...packages], { stderr: 'inherit' });
  } catch (cause) {
    const needs = 'Python 3.10 or newer with venv and pip, and a package index that pip can reach';
    throw new Error(`${name} needs ${needs}`, { cause });
  }
  await writeFile(markOf(environment), '');
}
