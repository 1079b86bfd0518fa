import { runCommand } from '../../src/embedded/run-command.ts';
import { built, type GoProgram, goProgram, isBuilt } from './go-program.ts';

const serverVersion = '1.8.0';
const serverModule = `github.com/versity/versitygw/cmd/versitygw@v${serverVersion}`;
/**
 * Without optimization, except for Go's own packages, which other builds share: it serves a few requests, and compiles in
 * four fifths of the time.
 */
const flags = ['-gcflags=all=-N -l', '-gcflags=std=', '-ldflags=-s -w'];
const buildLimitMs = 30 * 60_000;
/** The time limit of a start that builds the program. */
export const s3StartLimitMs = buildLimitMs;

const s3Server: GoProgram = {
  name: `versitygw-${serverVersion}`,
  file: 'versitygw',
  async build(folder) {
    // With the lowest priority, because other tests run at the same time and would exceed their limits.
    // `env` keeps the user's proxy and module settings of Go, but unsets the target platform.
    const environment = [
      '-u',
      'GOOS',
      '-u',
      'GOARCH',
      `GOBIN=${folder}`,
      `PATH=${process.env.PATH ?? ''}`,
      ...['nice', '-n', '19'],
    ];
    const result = await runCommand('/usr/bin/env', [...environment, 'go', 'install', ...flags, serverModule], {
      limitMs: buildLimitMs,
      cwd: folder,
    });
    if (!result.ok)
      throw new Error(
        `The S3 server for the tests could not be built with Go: ${result.reason}\n` +
          `Put a Go that can build ${serverModule} on PATH, or that program itself at ${goProgram(s3Server)}.`,
      );
  },
};

/** Whether it was built before. */
export const s3ProgramIsCached = (): boolean => isBuilt(s3Server);

/** The server's program, from the cache or built with Go once (about 3 minutes). */
export const s3Program = (): Promise<string> => built(s3Server);
