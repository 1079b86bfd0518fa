import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gte } from 'semver';
import { cacheDirOf } from '../shared/cache-dir.ts';
import { StartError } from '../shared/start-error.ts';
import { programsOnPath } from './programs-on-path.ts';
import { buildTemporal } from './temporal-build.ts';
import { downloadTemporal } from './temporal-download.ts';
import type { TemporalSource } from './temporal-source.ts';
import { inspectTemporal, temporalVersion } from './temporal-version.ts';

const unfinishedPrefix = 'unfinished-';
/** Twice the limit of a build, so no process uses an older unfinished folder. */
const abandonedMs = 60 * 60_000;
/** Enough to load 250 MB from a slow disk. */
const answerLimitMs = 60_000;
/** Shorter, because a program on PATH may be a wrapper that hangs, and there are other ways to get the program. */
const answerOnPathLimitMs = 10_000;

/**
 * The cache folder for programs, which all gateways of this user share.
 *
 * @throws StartError when this user has no such folder.
 */
export function defaultCacheDir(machine: { cacheHome: string | null; home: string | null }): string {
  const found = cacheDirOf(machine);
  if (found !== null) return found;
  throw new StartError(
    'There is no home folder to keep the Temporal program in. Set HOME or XDG_CACHE_HOME, or set TEMPORAL_ADDRESS to a ' +
      'Temporal server of your own.',
  );
}

/**
 * Returns the path of a `temporal` program that can run the development server. It tries, in this order: a program on
 * `path` that is `oldestOnPath` or newer; `temporalVersion` in the cache; a download of that version; a build with Go,
 * which takes minutes. The last two put the program into the cache. A cached program that is damaged or has another
 * version is replaced. Several gateways may run this at the same time.
 *
 * @throws StartError with the reasons and the remedies when none of these works.
 */
export async function findTemporalProgram(options: {
  /** The folders to search for programs, in the form of the variable PATH. */
  path: string;
  cacheDir: string;
  onProgress(line: string): void;
  signal?: AbortSignal;
}): Promise<string> {
  const { path, cacheDir, onProgress } = options;
  for (const candidate of await programsOnPath('temporal', path)) {
    const reason = await unusableOnPath(candidate);
    if (reason === null) return candidate;
    onProgress(`Not using ${candidate}: it ${reason}.`);
  }
  const home = join(cacheDir, `temporal-${temporalVersion}`);
  const cached = join(home, 'temporal');
  if ((await unexpected(cached)) === null) return cached;

  await mkdir(home, { recursive: true }).catch((error: Error) => {
    throw new StartError(
      `The Temporal server is not on this machine, and the folder to keep it in cannot be made (${error.message}). Set ` +
        `XDG_CACHE_HOME to a folder that this user may write to, install the temporal CLI ${temporalVersion} or newer and put it on ` +
        `PATH (https://docs.temporal.io/cli), or set TEMPORAL_ADDRESS to a Temporal server of your own.`,
    );
  });
  const reasons: string[] = [];
  try {
    await removeAbandoned(home);
    for (const [name, obtain] of ways) {
      const reason = await obtained(obtain, home, cached, options);
      if (reason === null) return cached;
      if (options.signal?.aborted) throw new StartError('The start was interrupted.');
      reasons.push(`${name}: ${reason}`);
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    reasons.push(error instanceof Error ? error.message : String(error));
  }
  throw new StartError(
    `The Temporal server is not on this machine and could not be fetched:\n` +
      `${reasons.map((reason) => `  - ${reason}`).join('\n')}\n` +
      `Do one of these: install the temporal CLI ${temporalVersion} or newer and put it on PATH (https://docs.temporal.io/cli), ` +
      `install Go 1.25 or newer and start again (it then builds Temporal), or set TEMPORAL_ADDRESS to a Temporal server of your own.`,
  );
}

const ways: [string, TemporalSource][] = [
  ['download', downloadTemporal],
  ['build with Go', buildTemporal],
];

/** Puts a program into the cache atomically. Returns null, or the reason for a failure. */
async function obtained(
  obtain: TemporalSource,
  home: string,
  cached: string,
  options: { path: string; onProgress(line: string): void; signal?: AbortSignal },
): Promise<string | null> {
  // Each gateway uses its own folder, so that two of them do not interfere; the later rename wins.
  const folder = await mkdtemp(join(home, unfinishedPrefix));
  try {
    const result = await obtain({ ...options, folder });
    if (!result.ok) return result.reason;
    const reason = await unexpected(result.file);
    if (reason !== null) return `the program was discarded: it ${reason}`;
    await rename(result.file, cached).catch(async () => {
      // Go may have written the file to another file system.
      await copyFile(result.file, join(folder, 'copy'));
      await rename(join(folder, 'copy'), cached);
    });
    return null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Null when a program on PATH can be used; otherwise the reason. */
async function unusableOnPath(program: string): Promise<string | null> {
  const found = await inspectTemporal(program, answerOnPathLimitMs);
  if (!found.runs) return found.reason;
  return gte(found.version, temporalVersion) ? null : `is version ${found.version}, older than ${temporalVersion}`;
}

/** Null when a program has exactly the required version; otherwise the difference. */
async function unexpected(program: string): Promise<string | null> {
  const found = await inspectTemporal(program, answerLimitMs);
  if (!found.runs) return found.reason;
  return found.version === temporalVersion ? null : `is version ${found.version}, not ${temporalVersion}`;
}

async function removeAbandoned(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(unfinishedPrefix)) continue;
    const folder = join(home, name);
    const found = await stat(folder).catch(() => null);
    if (found && Date.now() - found.mtimeMs > abandonedMs) await rm(folder, { recursive: true, force: true });
  }
}
