import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const pollMs = 50;

// The packages for this (`ps-list`, `fkill`, `pid-port`) call `ps`, `ss` or `netstat`, which slim container images lack.

export const isRoot = () => process.getuid?.() === 0;

/** Whether a process with this pid exists, including zombies. */
export function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The command line of a running process, joined by spaces; null when the process does not exist or is a zombie. */
export async function commandOf(pid: number): Promise<string | null> {
  try {
    if (process.platform === 'linux') return await commandInProc(pid);
    const { stdout } = await run('ps', ['-o', 'stat=,command=', '-p', String(pid)]);
    const [, state = '', command = ''] = /^(\S+)\s+(.*)$/s.exec(stdout.trim()) ?? [];
    return state.startsWith('Z') || command === '' ? null : command;
  } catch {
    return null;
  }
}

/** The working folder of a running process; null when the process does not exist, or the system does not show it. */
export async function workingFolderOf(pid: number): Promise<string | null> {
  try {
    if (process.platform === 'linux') return await readlink(`/proc/${pid}/cwd`);
    const { stdout } = await run('lsof', ['-a', '-p', String(pid), '-d', 'cwd', '-Fn']);
    return /^n(.+)$/m.exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}

/** The pids of all other running processes whose command line matches. */
export async function pidsWhere(fits: (command: string) => boolean): Promise<number[]> {
  const pids = await allPids();
  const commands = await Promise.all(pids.map(commandOf));
  return pids.filter((pid, index) => {
    const command = commands[index];
    return typeof command === 'string' && pid !== process.pid && fits(command);
  });
}

/**
 * Whether the process with this pid listens on the port. Another gateway's server may have taken the port first; the
 * own server then ends shortly after. Returns true when the system does not allow the check.
 */
export async function listensOn(pid: number, port: number): Promise<boolean> {
  try {
    if (process.platform === 'linux') return await listensInProc(pid, port);
    await run('lsof', ['-nP', '-a', '-p', String(pid), `-iTCP:${port}`, '-sTCP:LISTEN', '-t']);
    return true;
  } catch (error) {
    // A number is lsof's exit code: no such socket. ENOENT from /proc: the process has ended. Other errors: check
    // impossible.
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return typeof code === 'string' && !(process.platform === 'linux' && code === 'ENOENT');
  }
}

/**
 * Ends a process that is not a child of this one: sends `signal`, after the limit `insistWith`, and finally SIGKILL.
 * Returns whether the process has ended, so that its ports are free.
 */
export async function endForeign(
  pid: number,
  stop: { signal: NodeJS.Signals; limitMs: number; insistWith: NodeJS.Signals },
): Promise<boolean> {
  for (const [signal, limitMs] of [
    [stop.signal, stop.limitMs],
    [stop.insistWith, 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return hasEnded(pid);
    }
    for (const end = Date.now() + limitMs; Date.now() < end; await sleep(pollMs)) {
      if (await hasEnded(pid)) return true;
    }
  }
  return false;
}

/** On Linux, a zombie keeps its ports and files until the last of its other threads has ended: on busy cores for a second. */
async function hasEnded(pid: number): Promise<boolean> {
  if ((await commandOf(pid)) !== null) return false;
  if (process.platform !== 'linux') return true;
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  return threads.length <= 1;
}

// Reads /proc, because slim container images have no `ps`.
async function commandInProc(pid: number): Promise<string | null> {
  const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
  // A zombie has an empty command line.
  return command === '' ? null : command;
}

async function allPids(): Promise<number[]> {
  const names =
    process.platform === 'linux' ? await readdir('/proc') : (await run('ps', ['-axo', 'pid='])).stdout.split('\n');
  return names.map(Number).filter((pid) => Number.isInteger(pid) && pid > 0);
}

async function listensInProc(pid: number, port: number): Promise<boolean> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = new Set<string>();
  for (const row of (await readFile('/proc/net/tcp', 'utf8')).split('\n')) {
    const [, local = '', , state, , , , , , inode = ''] = row.trim().split(/\s+/);
    // 0A is LISTEN.
    if (state === '0A' && local.endsWith(suffix)) inodes.add(`socket:[${inode}]`);
  }
  if (inodes.size === 0) return false;
  const folder = `/proc/${pid}/fd`;
  const targets = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')));
  return targets.some((target) => inodes.has(target));
}
