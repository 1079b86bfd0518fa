import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programsOnPath } from './programs-on-path.ts';
import { runCommand } from './run-command.ts';
import type { TemporalSource } from './temporal-source.ts';
import { temporalVersion } from './temporal-version.ts';

/** A Go module whose go.mod and go.sum pin the program and all its dependencies by version and hash. */
const pinnedModule = fileURLToPath(new URL('./temporal-cli', import.meta.url));
const program = 'github.com/temporalio/cli/cmd/temporal';
const versionVariable = 'github.com/temporalio/cli/temporalcli.Version';
const noticeMs = 10_000;
/** Ten times the usual 3 minutes on 2 cores with a fast connection. */
const limitMs = 30 * 60_000;

/**
 * Builds the program from its source with the Go that is on `path`. Go checks each module against the hashes in go.sum.
 */
export const buildTemporal: TemporalSource = (options) => buildTemporalFrom(pinnedModule, options);

/** Like {@link buildTemporal}, with the go.mod and go.sum of another folder. */
export async function buildTemporalFrom(
  moduleFolder: string,
  { folder, path, onProgress, signal }: Parameters<TemporalSource>[0],
): ReturnType<TemporalSource> {
  const [go] = await programsOnPath('go', path);
  if (go === undefined) return { ok: false, reason: 'there is no Go on PATH' };
  const startedAt = Date.now();
  const notice = () => {
    const elapsedS = Math.round((Date.now() - startedAt) / 1000);
    onProgress(`Building Temporal with Go, once, takes about 3 minutes … ${elapsedS} s`);
  };
  notice();
  const timer = setInterval(notice, noticeMs);
  const file = join(folder, 'temporal');
  // `env` keeps the user's proxy settings, but removes GOOS and GOARCH, so that Go builds for this machine. GOWORK=off
  // and GOFLAGS ensure that only go.mod and go.sum decide: -mod=readonly refuses a module without a hash in go.sum.
  const environment = ['-u', 'GOOS', '-u', 'GOARCH', 'GOWORK=off', 'GOFLAGS=-mod=readonly -buildvcs=false'];
  // A program that is built as a dependency does not know its version.
  const args = ['build', '-ldflags', `-X ${versionVariable}=${temporalVersion}`, '-o', file, program];
  try {
    const built = await runCommand('/usr/bin/env', [...environment, go, ...args], {
      limitMs,
      signal,
      cwd: moduleFolder,
    });
    if (built.ok) return { ok: true, file };
    const mismatch = /^verifying (.*checksum mismatch)$/m.exec(built.output)?.[1];
    if (mismatch === undefined) return built;
    return { ok: false, reason: `${mismatch}: it is not the source that go.sum in ${moduleFolder} names` };
  } finally {
    clearInterval(timer);
  }
}
