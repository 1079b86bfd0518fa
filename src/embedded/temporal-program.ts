import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { StartError } from '../start-error.ts';
import { runCommand } from './run-command.ts';
import { buildTemporal } from './temporal-build.ts';
import { downloadTemporal } from './temporal-download.ts';
import { type TemporalSource, temporalVersion } from './temporal-source.ts';

const unfinishedPrefix = 'unfinished-';
/** Twice as long as a build may take: older leftovers are nobody's. */
const abandonedMs = 60 * 60_000;
/** 250 MB from a cold and slow disk. */
const answerLimitMs = 60_000;

/** Where programs are kept that all gateways of this user share. */
export function defaultCacheDir(machine: { cacheHome: string | null; home: string | null }): string {
  // The specification of XDG_CACHE_HOME says to ignore a relative one.
  if (machine.cacheHome !== null && isAbsolute(machine.cacheHome)) return join(machine.cacheHome, 'webhook-gateway');
  if (machine.home !== null) return join(machine.home, '.cache', 'webhook-gateway');
  throw new StartError(
    'There is no home folder to keep the Temporal program in. Set HOME or XDG_CACHE_HOME, or set TEMPORAL_ADDRESS to a ' +
      'Temporal server of your own.',
  );
}

/**
 * Returns the path of a `temporal` program that can run the development server: the one on `path`, else the one in the
 * cache, else it is downloaded, else built with Go (minutes, once) and put into the cache, where a damaged one is replaced.
 * Several gateways may do so at once.
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
  const { path, cacheDir } = options;
  for (const folder of path.split(delimiter)) {
    const candidate = join(folder, 'temporal');
    if (isAbsolute(folder) && (await runsDevServer(candidate))) return candidate;
  }
  const home = join(cacheDir, `temporal-${temporalVersion}`);
  const cached = join(home, 'temporal');
  if (await runsDevServer(cached)) return cached;

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
      `Do one of these: install the temporal CLI and put it on PATH (https://docs.temporal.io/cli), install Go 1.23 or newer and ` +
      `start again (it then builds Temporal), or set TEMPORAL_ADDRESS to a Temporal server of your own.`,
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
    if (!(await runsDevServer(result.file))) return 'what came does not run here';
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

/** Whether this is a temporal program for this machine whose server has the options that we start it with. */
async function runsDevServer(program: string): Promise<boolean> {
  const found = await stat(program).catch(() => null);
  if (!found?.isFile()) return false;
  // In the same empty environment that the server gets, so that what works here works there.
  const ask = (...args: string[]) => runCommand(program, args, { limitMs: answerLimitMs, env: {} });
  const version = await ask('--version');
  if (!version.ok || !/temporal/i.test(version.output)) return false;
  const help = await ask('server', 'start-dev', '--help');
  return (
    help.ok && ['--sqlite-pragma', '--dynamic-config-value', '--ui-port'].every((flag) => help.output.includes(flag))
  );
}

async function removeAbandoned(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(unfinishedPrefix)) continue;
    const folder = join(home, name);
    const found = await stat(folder).catch(() => null);
    if (found && Date.now() - found.mtimeMs > abandonedMs) await rm(folder, { recursive: true, force: true });
  }
}
