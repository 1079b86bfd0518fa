import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../src/embedded/run-command.ts';
import { defaultCacheDir } from '../../src/embedded/temporal-program.ts';

const serverVersion = '1.8.0';
const serverModule = `github.com/versity/versitygw/cmd/versitygw@v${serverVersion}`;
const buildLimitMs = 30 * 60_000;
/** The time limit of a start that builds the program. */
export const s3StartLimitMs = buildLimitMs;

const { HOME: home = null, XDG_CACHE_HOME: cacheHome = null } = process.env;
const folder = join(defaultCacheDir({ home, cacheHome }), `versitygw-${serverVersion}`);
const program = join(folder, 'versitygw');

/** Whether it was built before. */
export const s3ProgramIsCached = (): boolean => existsSync(program);

/** The server's program, from the cache or built with Go once (about 3 minutes). */
export async function s3Program(): Promise<string> {
  if (s3ProgramIsCached()) return program;
  console.log('Building an S3 server with Go, once, takes about 3 minutes …');
  await mkdir(folder, { recursive: true });
  const unfinished = await mkdtemp(join(folder, 'unfinished-'));
  try {
    // With the lowest priority, because other tests run beside it and would exceed their limits.
    // `env` keeps the user's proxy and module settings of Go, but unsets the target platform.
    const environment = [
      '-u',
      'GOOS',
      '-u',
      'GOARCH',
      `GOBIN=${unfinished}`,
      `PATH=${process.env.PATH ?? ''}`,
      ...['nice', '-n', '19'],
    ];
    const built = await runCommand('/usr/bin/env', [...environment, 'go', 'install', serverModule], {
      limitMs: buildLimitMs,
      cwd: unfinished,
    });
    if (!built.ok)
      throw new Error(
        `The S3 server for the tests could not be built with Go: ${built.reason}\n` +
          `Put a Go that can build ${serverModule} on PATH, or that program itself at ${program}.`,
      );
    await rename(join(unfinished, 'versitygw'), program);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return program;
}
