import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultCacheDir } from '../../src/embedded/temporal-program.ts';

const { HOME: home = null, XDG_CACHE_HOME: cacheHome = null } = process.env;

/** A program that Go builds once, and that is kept in the cache. */
export interface GoProgram {
  /** Its folder in the cache, which names its version. */
  name: string;
  /** The name of its file. */
  file: string;
  /** Builds it into the folder that it is given. */
  build(folder: string): Promise<unknown>;
}

/** Its path in the cache, whether it is there or not. */
export const goProgram = ({ name, file }: GoProgram) => join(defaultCacheDir({ home, cacheHome }), name, file);

/** Whether it was built before. */
export const isBuilt = (program: GoProgram): boolean => existsSync(goProgram(program));

/** The path of the program, which is built if it is not in the cache. */
export async function built(program: GoProgram): Promise<string> {
  const path = goProgram(program);
  if (isBuilt(program)) return path;
  console.log(`Building ${program.file} with Go, once, takes some minutes …`);
  const folder = join(path, '..');
  await mkdir(folder, { recursive: true });
  const unfinished = await mkdtemp(join(folder, 'unfinished-'));
  try {
    await program.build(unfinished);
    await rename(join(unfinished, program.file), path);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return path;
}

/** A short digest of the Go files of a folder, so that a program is built again when its source has changed. */
export function sourceDigest(folder: string): string {
  const digest = createHash('sha256');
  for (const file of readdirSync(folder).sort())
    if (/\.go$|^go\.(mod|sum)$/.test(file)) digest.update(readFileSync(join(folder, file)));
  return digest.digest('hex').slice(0, 16);
}
