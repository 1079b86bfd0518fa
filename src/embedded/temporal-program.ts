import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDirOf } from '../shared/cache-dir.ts';
import { StartError } from '../shared/start-error.ts';
import { programsOnPath } from './programs-on-path.ts';
import { buildTemporal } from './temporal-build.ts';
import { downloadTemporal } from './temporal-download.ts';
import type { TemporalSource } from './temporal-source.ts';
import { inspectTemporal, isAtLeast, temporalVersion } from './temporal-version.ts';

const unfinishedPrefix = 'unfinished-';
/** Twice as long as a build may take: older leftovers are nobody's. */
const abandonedMs = 60 * 60_000;
/** 250 MB from a cold and slow disk. */
const answerLimitMs = 60_000;
/** Shorter, as there are other ways to get the program: one on PATH may be a wrapper that waits for something. */
const answerOnPathLimitMs = 10_000;

/**
 * Where programs are kept that all gateways of this user share.
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
 * Returns the path of a `temporal` program that can run the development server: the one on `path` if it is `temporalVersion` or
 * newer, else `temporalVersion` from the cache, else that version is downloaded, else built with Go (minutes, once) and put into
 * the cache. A cached program that is damaged or of another version is replaced. Several gateways may do so at once.
 *
 * @throws StartError when none of these works, with the reasons and the ways out.
 */
export async function findTemporalProgram(options: {
  /** Folders to look in for programs, in the form of the variable PATH. */
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

  const reasons: string[] = [];
  try {
    await mkdir(home, { recursive: true });
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

/** Puts a program into the cache, whole or not at all. Returns null, or why there is none. */
async function obtained(
  obtain: TemporalSource,
  home: string,
  cached: string,
  options: { path: string; onProgress(line: string): void; signal?: AbortSignal },
): Promise<string | null> {
  // A folder of its own each, so that two gateways do not disturb each other; the later rename simply wins.
  const folder = await mkdtemp(join(home, unfinishedPrefix));
  try {
    const result = await obtain({ ...options, folder });
    if (!result.ok) return result.reason;
    const reason = await unexpected(result.file);
    if (reason !== null) return `what arrived was thrown away: it ${reason}`;
    await rename(result.file, cached).catch(async () => {
      // Go may have put it on another file system.
      await copyFile(result.file, join(folder, 'copy'));
      await rename(join(folder, 'copy'), cached);
    });
    return null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Null when a program on PATH can be used, else why not. */
async function unusableOnPath(program: string): Promise<string | null> {
  const found = await inspectTemporal(program, answerOnPathLimitMs);
  if (!found.runs) return found.reason;
  return isAtLeast(found.version, temporalVersion)
    ? null
    : `is version ${found.version}, older than ${temporalVersion}`;
}

/** Null when a program is the version that the gateway asks for, else what it is. */
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
