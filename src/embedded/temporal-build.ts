import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { runCommand } from './run-command.ts';
import { type TemporalSource, temporalVersion } from './temporal-source.ts';

const noticeMs = 10_000;
/** 3 minutes on 2 cores with a fast connection; ten times that is a machine where it will not end. */
const limitMs = 30 * 60_000;

/** Builds the program from its source with the Go that is on `path`. */
export const buildTemporal: TemporalSource = async ({ folder, path, onProgress, signal }) => {
  const go = await goOn(path);
  if (go === null) return { ok: false, reason: 'there is no Go on PATH' };
  const startedAt = Date.now();
  const notice = () => {
    const elapsedS = Math.round((Date.now() - startedAt) / 1000);
    onProgress(`Building Temporal with Go, once, takes about 3 minutes … ${elapsedS} s`);
  };
  notice();
  const timer = setInterval(notice, noticeMs);
  try {
    // Through `env`, so that Go keeps the user's proxy and module settings, but does not build for another machine.
    const args = ['-u', 'GOOS', '-u', 'GOARCH', `GOBIN=${folder}`];
    const module = `github.com/temporalio/cli/cmd/temporal@v${temporalVersion}`;
    const built = await runCommand('/usr/bin/env', [...args, go, 'install', module], { limitMs, signal, cwd: folder });
    return built.ok ? { ok: true, file: join(folder, 'temporal') } : built;
  } finally {
    clearInterval(timer);
  }
};

async function goOn(path: string): Promise<string | null> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const program = join(folder, 'go');
    const found = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return program;
  }
  return null;
}
