import { spawn } from 'node:child_process';

export type CommandResult = { ok: true; output: string } | { ok: false; reason: string; output: string };

const keptChars = 64 * 1024;
const reasonLines = 3;

/**
 * Runs a program and resolves with its output (standard output and error together). Never rejects: a failure is a
 * result.
 *
 * If the program exceeds the limit, is aborted, or the gateway exits, its whole process group is killed.
 */
export function runCommand(
  program: string,
  args: string[],
  options: {
    limitMs: number;
    signal?: AbortSignal;
    env?: Record<string, string>;
    cwd?: string;
    uid?: number;
    gid?: number;
  },
): Promise<CommandResult> {
  const { limitMs, signal, ...spawnOptions } = options;
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...spawnOptions, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let stoppedBecause: string | null = null;
    const keep = (chunk: string) => {
      output = (output + chunk).slice(-keptChars);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);

    const killGroup = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The group has just ended by itself.
      }
    };
    const stop = (why: string) => {
      stoppedBecause ??= why;
      killGroup();
    };
    const onAbort = () => stop('it was interrupted');
    const timer = setTimeout(() => stop(`it took longer than ${Math.round(limitMs / 1000)} s`), limitMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    process.on('exit', killGroup);

    const settle = (result: CommandResult) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      process.off('exit', killGroup);
      resolve(result);
    };
    child.once('error', (error) => settle({ ok: false, reason: error.message, output }));
    child.once('close', (code, endSignal) => {
      if (stoppedBecause !== null) settle({ ok: false, reason: stoppedBecause, output });
      else if (code === 0) settle({ ok: true, output });
      else {
        const last = output.trim().split('\n').slice(-reasonLines).join(' ').trim();
        settle({
          ok: false,
          reason: last || (endSignal ? `ended by ${endSignal}` : `ended with code ${code}`),
          output,
        });
      }
    });
  });
}
