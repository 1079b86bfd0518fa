import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { built, sourceDigest } from '../support/go-program.ts';

/** Helm is built from its Go module, which Go verifies against the checksum database. */
const helmModule = 'helm.sh/helm/v4/cmd/helm@v4.3.1';
const checkFolder = fileURLToPath(new URL('check', import.meta.url));

/** Helm's program. */
export const helmProgram = () =>
  built({
    name: `helm-${helmModule.split('@')[1]}`,
    file: 'helm',
    build: (folder) => execa('go', ['install', helmModule], { env: { GOBIN: folder }, stderr: 'inherit' }),
  });

/** The program of test/helm/check. */
export const checkProgram = () =>
  built({
    name: `helm-check-${sourceDigest(checkFolder)}`,
    file: 'check',
    build: (folder) =>
      execa('go', ['build', '-o', join(folder, 'check'), '.'], { cwd: checkFolder, stderr: 'inherit' }),
  });
