import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { cacheDirOf } from '../../src/shared/cache-dir.ts';

/** Helm is built from its Go module, which Go verifies against the checksum database. */
const helmModule = 'helm.sh/helm/v4/cmd/helm@v4.3.1';
const checkFolder = fileURLToPath(new URL('check', import.meta.url));

/**
 * A program that is built with Go once, and then taken from the cache.
 *
 * @param name its folder in the cache, which names its version
 * @param build builds it into the folder that it is given
 */
async function built(name: string, program: string, build: (folder: string) => Promise<void>): Promise<string> {
  const { HOME: home = null, XDG_CACHE_HOME: cacheHome = null } = process.env;
  const cache = cacheDirOf({ home, cacheHome });
  if (cache === null) throw new Error('There is no folder for programs: set HOME or XDG_CACHE_HOME.');
  const folder = join(cache, name);
  const path = join(folder, program);
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) return path;
  console.log(`Building ${program} with Go, once, takes some minutes …`);
  await mkdir(folder, { recursive: true });
  const unfinished = await mkdtemp(join(folder, 'unfinished-'));
  try {
    await build(unfinished);
    await rename(join(unfinished, program), path);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return path;
}

/** Helm's program. */
export const helmProgram = () =>
  built(`helm-${helmModule.split('@')[1]}`, 'helm', async (folder) => {
    await execa('go', ['install', helmModule], { env: { GOBIN: folder }, stderr: 'inherit' });
  });

/** The program of test/helm/check, built again when its source has changed. */
export async function checkProgram(): Promise<string> {
  const digest = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go', 'objects.go', 'pods.go'])
    digest.update(await readFile(join(checkFolder, file)));
  return built(`helm-check-${digest.digest('hex').slice(0, 16)}`, 'check', async (folder) => {
    await execa('go', ['build', '-o', join(folder, 'check'), '.'], { cwd: checkFolder, stderr: 'inherit' });
  });
}
