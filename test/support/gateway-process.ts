import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, inject } from 'vitest';
import type { Role } from '../../src/config.ts';
import { leaksInFolder } from './leaks/files.ts';
import { note, watch } from './leaks/watch.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A gateway that runs as a process of its own, as its users start it. */
export interface GatewayProcess {
  readonly pid: number;
  /** What it has printed for people so far. */
  stdout(): string;
  /** Its log and its errors so far. */
  stderr(): string;
  readonly exited: Promise<Exit>;
  isRunning(): boolean;
  /** Waits until the text is there and returns the match; throws when the process ends before. */
  printed(pattern: RegExp, where?: 'stdout' | 'stderr'): Promise<RegExpExecArray>;
  signal(signal: NodeJS.Signals): void;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Two cores carry other tests besides; a first start of the embedded servers takes seconds. */
const startLimitMs = 90_000;
/** Past the 45 s in which the gateway ends itself. */
const stopLimitMs = 60_000;
const pollMs = 25;

const running = new Map<GatewayProcess, ChildProcess>();
/** Whose processes have to be gone after each test, or (those that the test itself keeps) after the file. */
const folders = { gateway: new Set<string>(), test: new Set<string>() };
let cleansUp = false;

/** What every process gets: no setting of whoever runs the tests reaches it. The cache halves what a start has to load. */
export function cleanEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', XDG_CACHE_HOME } = process.env;
  const compileCache = { NODE_COMPILE_CACHE: inject('compileCache') };
  return { PATH, HOME, ...compileCache, ...(XDG_CACHE_HOME === undefined ? {} : { XDG_CACHE_HOME }) };
}

/** A folder that the database's user may enter; it goes, with whatever still runs on it, after the file's tests. */
export function temporaryFolder(owner: keyof typeof folders = 'gateway'): string {
  if (!cleansUp)
    throw new Error('call gatewaysEndWithTheirTest() at the top of the file: nothing would remove the folder');
  const folder = mkdtempSync(join(tmpdir(), 'gateway-process-'));
  chmodSync(folder, 0o755);
  folders[owner].add(folder);
  return folder;
}

/**
 * Starts `node src/main.ts <role>` and returns at once. A variable that is `undefined` is not set. `within` is a command that
 * becomes the one after it.
 */
export function spawnGateway(
  role: Role | string,
  variables: Record<string, string | undefined>,
  args: string[] = [],
  within: string[] = [],
): GatewayProcess {
  const [program = '', ...rest] = [...within, process.execPath, main, role, ...args];
  const child = spawn(program, rest, {
    env: { ...cleanEnvironment(), ...variables },
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.stderr += text;
  });
  let isRunning = true;
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      isRunning = false;
      running.delete(gateway);
      for (const [name, text] of Object.entries(printed)) watch(`${name} of the process ${role}`, text);
      resolve({ code, signal });
    });
  });
  const gateway: GatewayProcess = {
    pid: child.pid ?? 0,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    exited,
    isRunning: () => isRunning,
    async printed(pattern, where = 'stdout') {
      for (const end = Date.now() + startLimitMs; ; await sleep(pollMs)) {
        const ended = !isRunning;
        const match = pattern.exec(printed[where]);
        if (match) return match;
        if (ended || Date.now() > end)
          throw new Error(`the ${role} did not print ${pattern}; it printed:\n${printed.stdout}\n${printed.stderr}`);
      }
    },
    signal: (signal) => void child.kill(signal),
    async stop(signal = 'SIGINT') {
      child.kill(signal);
      const late = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
      try {
        return await exited;
      } finally {
        clearTimeout(late);
      }
    },
  };
  running.set(gateway, child);
  return gateway;
}

/**
 * For the top of a test file: after each test whatever gateway still runs has to stop cleanly, and nothing that it
 * started may stay. What stays fails the test and is killed.
 */
export function gatewaysEndWithTheirTest(): void {
  cleansUp = true;
  const inFlight = () => [...running.keys()];
  const lastResort = () => {
    for (const gateway of inFlight()) gateway.signal('SIGTERM');
  };
  process.on('exit', lastResort);
  afterEach(async ({ task }) => {
    // What the processes said tells why a test failed.
    if (task.result?.state === 'fail')
      for (const gateway of inFlight())
        console.error(`process ${gateway.pid} said:\n${gateway.stderr().slice(-8_000)}`);
    const ends = await Promise.all(inFlight().map(async (gateway) => ({ gateway, exit: await gateway.stop() })));
    const left = await killedOn([...folders.gateway]);
    const unclean = ends.filter(({ exit }) => exit.code !== 0);
    if (left.length > 0) throw new Error(`these stayed: ${JSON.stringify(left)}`);
    if (unclean.length > 0) {
      const texts = unclean.map(({ gateway, exit }) => `${JSON.stringify(exit)}\n${gateway.stderr().slice(-3000)}`);
      throw new Error(`a gateway did not stop cleanly: ${texts.join('\n')}`);
    }
  });
  afterAll(async () => {
    process.off('exit', lastResort);
    const all = [...folders.gateway, ...folders.test];
    const left = await killedOn(all);
    for (const folder of all) note(leaksInFolder(folder));
    for (const folder of all) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    // The next file of this worker starts from nothing.
    for (const owned of Object.values(folders)) owned.clear();
    cleansUp = false;
    if (left.length > 0 || running.size > 0) throw new Error(`these stayed: ${JSON.stringify(left)}`);
  });
}

/** Kills what still runs on these folders, and returns what that was. */
async function killedOn(wanted: string[]): Promise<{ pid: number; command: string }[]> {
  // The kernel takes a moment to clear away what has just ended.
  for (let look = 0; look < 20 && processesOn(wanted).length > 0; look += 1) await sleep(50);
  const left = processesOn(wanted);
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It went with its parent.
    }
  }
  return left;
}

/** Processes whose command line or working folder names one of these folders. */
export function processesOn(wanted: string[]): { pid: number; command: string }[] {
  // Most tests of a file start no process, and a look at all of the machine's takes several milliseconds.
  if (wanted.length === 0) return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        // A zombie has an empty one.
        if (command === '') return [];
        const place = readlinkSync(`/proc/${pid}/cwd`);
        return wanted.some((folder) => command.includes(folder) || place.startsWith(folder)) ? [{ pid, command }] : [];
      } catch {
        return [];
      }
    });
}

/** Asks until the answer is neither null, undefined nor false; an error counts as no answer. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  limitMs = 90_000,
): Promise<T> {
  let last: unknown = null;
  for (const end = Date.now() + limitMs; ; await sleep(pollMs)) {
    try {
      const found = await look();
      if (found) return found;
      last = found;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`it did not happen: ${what}`, { cause: last });
  }
}
