import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { type GoProgram, sourceDigest } from './go-program.ts';
import type { PythonEnvironment } from './python-environment.ts';

const folderOf = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
const requirements = readFileSync(join(folderOf('django'), 'requirements.txt'), 'utf8')
  .trim()
  .split('\n');

/** The environment of examples/django. */
export const djangoEnvironment: PythonEnvironment = {
  name: `receiver-${requirements.join('-').toLowerCase().replaceAll('==', '-')}`,
  packages: requirements,
};

/** The receiver of examples/go. */
export const goReceiver: GoProgram = {
  name: `receiver-go-${sourceDigest(folderOf('go'))}`,
  file: 'receiver',
  build: (folder) =>
    execa('go', ['build', '-o', join(folder, 'receiver'), '.'], { cwd: folderOf('go'), stderr: 'inherit' }),
};
