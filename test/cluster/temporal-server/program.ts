import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../../src/embedded/run-command.ts';
import { defaultCacheDir } from '../../../src/embedded/temporal-program.ts';

/** A Go module whose go.mod and go.sum pin the server, its tool and all their dependencies by version and hash. */
const pinnedModule = fileURLToPath(new URL('.', import.meta.url));
/** The packages of the two programs, by the name of the file that is built. */
const packages = {
  temporal: 'go.temporal.io/server/cmd/server',
  'temporal-sql-tool': 'go.temporal.io/server/cmd/tools/sql',
};
/** Ten times the 3 minutes that the build takes on two cores. */
const limitMs = 30 * 60_000;

export interface TemporalPrograms {
  /** The server with all its services. */
  server: string;
  /** Makes and updates the schema of its databases. */
  sqlTool: string;
}

/** The version of the server, which go.mod pins. */
export async function serverVersion(): Promise<string> {
  const pinned = await readFile(join(pinnedModule, 'go.mod'), 'utf8');
  const version = /^\s*go\.temporal\.io\/server v(\S+)/m.exec(pinned)?.[1];
  if (version === undefined)
    throw new Error(`${pinnedModule}go.mod does not name the version of go.temporal.io/server`);
  return version;
}

/**
 * The programs from the cache of this user, or built with the Go on PATH, once. Go checks each module against the
 * hashes in go.sum.
 *
 * @throws Error that says what Go reported, and what it needs.
 */
export async function temporalPrograms(): Promise<TemporalPrograms> {
  const { HOME: home = null, XDG_CACHE_HOME: cacheHome = null, PATH = '' } = process.env;
  const version = await serverVersion();
  const folder = join(defaultCacheDir({ home, cacheHome }), `temporal-server-${version}`);
  const programs = { server: join(folder, 'temporal'), sqlTool: join(folder, 'temporal-sql-tool') };
  if ((await isThere(programs.server)) && (await isThere(programs.sqlTool))) return programs;
  console.log(`Building the Temporal server ${version} with Go, once, takes about 3 minutes …`);
  await mkdir(folder, { recursive: true });
  const unfinished = await mkdtemp(join(folder, 'unfinished-'));
  // `env` keeps the user's proxy settings of Go, but unsets the target platform. -mod=readonly refuses a module without
  // a hash in go.sum.
  const environment = [
    '-u',
    'GOOS',
    '-u',
    'GOARCH',
    'GOWORK=off',
    'GOFLAGS=-mod=readonly -buildvcs=false',
    `PATH=${PATH}`,
  ];
  try {
    for (const [name, source] of Object.entries(packages)) {
      const built = await runCommand(
        '/usr/bin/env',
        [...environment, 'go', 'build', '-ldflags=-s -w', '-o', join(unfinished, name), source],
        { limitMs, cwd: pinnedModule },
      );
      if (!built.ok)
        throw new Error(
          `The Temporal server ${version} could not be built: ${built.reason}\n` +
            'Put Go 1.26.2 or newer on PATH, with access to its module proxy.',
        );
    }
    // The tool first: the server in its place means that both are there.
    await rename(join(unfinished, 'temporal-sql-tool'), programs.sqlTool);
    await rename(join(unfinished, 'temporal'), programs.server);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return programs;
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
