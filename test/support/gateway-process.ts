import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, aroundAll, inject } from 'vitest';
import type { Role } from '../../src/config/config.ts';
import { pidExists } from '../../src/embedded/os-process.ts';
import { killFound } from './kill.ts';
import { leaksInFolder } from './leaks/files.ts';
import { note } from './leaks/watch.ts';
import { policy } from './policy.ts';
import { type Exit, RoleOutput, type RunningRole } from './running-role.ts';
import { startArguments } from './start-command.ts';
import { until } from './until.ts';

/** A gateway that runs as a separate process, as its users start it. */
export interface GatewayProcess extends RunningRole {
  readonly pid: number;
  signal(signal: NodeJS.Signals): void;
}

/** Longer than the 45 s after which a gateway that shuts down ends itself. */
const stopLimitMs = 60_000;

interface RunningProcess {
  pid: number;
  command: string;
}

const running = new Set<RunningRole>();
/** Folders whose processes must have ended after each test (`gateway`) or after the file (`test`). */
const folders = { gateway: new Set<string>(), test: new Set<string>() };
let cleansUp = false;

/** The environment of every process, without the settings of the user. The compile cache halves the time of a start. */
export function cleanEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', XDG_CACHE_HOME } = process.env;
  const compileCache = { NODE_COMPILE_CACHE: inject('compileCache') };
  return { PATH, HOME, ...compileCache, ...(XDG_CACHE_HOME === undefined ? {} : { XDG_CACHE_HOME }) };
}

/**
 * The environment of a role, without the profiles of the user for Temporal. Several workers of the tests run at the same time,
 * so each takes a free port.
 */
export const environmentOf = (role: string, variables: Record<string, string | undefined>) => ({
  ...cleanEnvironment(),
  XDG_CONFIG_HOME: '/nonexistent',
  ...(role === 'worker' ? { METRICS_PORT: '0' } : {}),
  EVENT_WORKFLOWS: policy(),
  ...variables,
});

/** A folder that the database's user may enter. After the file's tests it is removed, and its processes are killed. */
export function temporaryFolder(owner: keyof typeof folders = 'gateway'): string {
  if (!cleansUp) throw new Error('call gatewaysEndWithTheirTest() at the top of the file, which removes the folder');
  const folder = mkdtempSync(join(tmpdir(), `gateway-process-${process.pid}-`));
  chmodSync(folder, 0o755);
  folders[owner].add(folder);
  return folder;
}

/**
 * Starts `node src/main.ts <role>` and returns at once. A variable that is `undefined` is not set. `within` is a command
 * that replaces itself by the command after it, such as `env`, so that the pid stays the same. `checkout` is the folder of
 * the release to start, by default this one.
 */
export function spawnGateway(
  role: Role | string,
  variables: Record<string, string | undefined>,
  args: string[] = [],
  within: string[] = [],
  checkout?: string,
): GatewayProcess {
  const [program = '', ...rest] = [...within, process.execPath, ...startArguments(role, checkout), ...args];
  const child = spawn(program, rest, {
    env: environmentOf(role, variables),
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = new RoleOutput(`the process ${role}`);
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.add('stdout', text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.add('stderr', text));
  let isRunning = true;
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      isRunning = false;
      output.end();
      resolve({ code, signal });
    });
  });
  const gateway: GatewayProcess = {
    pid: child.pid ?? 0,
    stdout: () => output.text('stdout'),
    stderr: () => output.text('stderr'),
    exited,
    isRunning: () => isRunning,
    printed: (pattern, where) => output.printed(pattern, where),
    signal: (signal) => void child.kill(signal),
    async stop(signal = 'SIGINT') {
      child.kill(signal);
      const late = setTimeout(() => {
        console.error(`a gateway does not stop: ${stateOf(child.pid)}`);
        child.kill('SIGKILL');
      }, stopLimitMs);
      try {
        return await exited;
      } finally {
        clearTimeout(late);
      }
    },
  };
  const lastResort = () => gateway.signal('SIGTERM');
  process.on('exit', lastResort);
  const ended = () => void process.off('exit', lastResort);
  exited.then(ended, ended);
  endsWithItsTest(gateway);
  return gateway;
}

/** The threads of a process with state and CPU time in ticks, which tell a blocked process from a busy one; Linux only. */
function stateOf(pid: number | undefined): string {
  const tasks = `/proc/${pid}/task`;
  try {
    const fields = readdirSync(tasks).map((task) => readFileSync(join(tasks, task, 'stat'), 'utf8').split(' '));
    return fields.map((stat) => `${stat[1]} ${stat[2]} ${stat[13]}+${stat[14]}`).join(', ');
  } catch (error) {
    return String(error);
  }
}

/** Stops the role after the test if it still runs. */
export function endsWithItsTest(role: RunningRole): void {
  running.add(role);
  const ended = () => void running.delete(role);
  role.exited.then(ended, ended);
}

/**
 * For the top of a test file: after each test, each gateway that still runs has to stop cleanly, and no process that it
 * started may be left. A process that is left fails the test and is killed.
 *
 * @param last 'file' where tests share a gateway: all of this once, after the last test.
 */
export function gatewaysEndWithTheirTest(last: 'test' | 'file' = 'test'): void {
  cleansUp = true;
  const inFlight = () => [...running];
  const end = async () => {
    const ends = await Promise.all(inFlight().map(async (gateway) => ({ gateway, exit: await gateway.stop() })));
    const left = await leftOn([...folders.gateway]);
    const unclean = ends.filter(({ exit }) => exit.code !== 0);
    if (left.length > 0) throw new Error(`these processes were left: ${JSON.stringify(left)}`);
    if (unclean.length > 0) {
      const texts = unclean.map(({ gateway, exit }) => `${JSON.stringify(exit)}\n${gateway.stderr().slice(-3000)}`);
      throw new Error(`a gateway did not stop cleanly: ${texts.join('\n')}`);
    }
  };
  afterEach(async ({ task }) => {
    // What the processes said tells why a test failed.
    if (task.result?.state === 'fail')
      for (const gateway of inFlight()) console.error(`a gateway said:\n${gateway.stderr().slice(-8_000)}`);
    if (last === 'test') await end();
  });
  const cleanUp = async () => {
    const all = [...folders.gateway, ...folders.test];
    const left = await leftOn(all);
    for (const folder of all) note(leaksInFolder(folder));
    for (const folder of all) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    // The next file of this worker must start without folders and processes.
    for (const owned of Object.values(folders)) owned.clear();
    cleansUp = false;
    if (left.length > 0 || running.size > 0) throw new Error(`these processes were left: ${JSON.stringify(left)}`);
  };
  // Not a hook `afterAll`, which would not run after one that throws.
  aroundAll(async (runFile) => {
    await runFile();
    try {
      if (last === 'file') await end();
    } finally {
      await cleanUp();
    }
  });
}

/** Kills the processes that a killed run of tests left behind: those on folders with the pid of a process that is gone. */
export const killAbandoned = () =>
  killedOn(
    readdirSync(tmpdir())
      .filter((name) => {
        const [, pid] = /^gateway-(?:process|test)-(\d+)-/.exec(name) ?? [];
        return pid !== undefined && !pidExists(Number(pid));
      })
      .map((name) => join(tmpdir(), name)),
  );

/** Waits until no process runs on these folders. Kills and returns those that do not end. */
async function leftOn(wanted: string[]): Promise<RunningProcess[]> {
  // A process that ends may have to wait for the processor or the disk.
  await until('all processes have ended', () => processesOn(wanted).length === 0, stopLimitMs).catch(() => undefined);
  return killedOn(wanted);
}

/** Kills the processes that run on these folders, and returns them. */
function killedOn(wanted: string[]): RunningProcess[] {
  const left = processesOn(wanted);
  killFound(left.map(({ pid }) => pid));
  return left;
}

/** Processes whose command line or working folder names one of these folders. */
export function processesOn(wanted: string[]): RunningProcess[] {
  // Most tests start no process, and reading all processes of the machine takes several milliseconds.
  if (wanted.length === 0) return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        // A zombie has an empty command line.
        if (command === '') return [];
        const place = readlinkSync(`/proc/${pid}/cwd`);
        return wanted.some((folder) => command.includes(folder) || place.startsWith(folder)) ? [{ pid, command }] : [];
      } catch {
        return [];
      }
    });
}
