import { execa } from 'execa';

export type CommandResult = { ok: true; output: string } | { ok: false; reason: string; output: string };

const keptChars = 64 * 1024;
const reasonLines = 3;

/**
 * Runs a program and resolves with its output (standard output and error together). Never rejects: a failure is a
 * result.
 *
 * If the program exceeds the limit, is aborted, or the gateway exits, its whole process group is killed.
 */
export async function runCommand(
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
  const running = execa(program, args, {
    ...spawnOptions,
    extendEnv: spawnOptions.env === undefined,
    stdin: 'ignore',
    all: true,
    // The output is collected below: execa would end a program whose output exceeds its buffer.
    buffer: false,
    timeout: limitMs,
    cancelSignal: signal,
    killSignal: 'SIGKILL',
    killDescendants: true,
    reject: false,
  });
  let output = '';
  running.all.setEncoding('utf8').on('data', (chunk: string) => {
    output = (output + chunk).slice(-keptChars);
  });
  const ended = await running;
  if (!ended.failed) return { ok: true, output };
  if (ended.timedOut) return { ok: false, reason: `it took longer than ${Math.round(limitMs / 1000)} s`, output };
  if (ended.isCanceled) return { ok: false, reason: 'it was interrupted', output };
  const last = output.trim().split('\n').slice(-reasonLines).join(' ').trim();
  return { ok: false, reason: last || endOf(ended), output };
}

function endOf(ended: { exitCode?: number; signal?: string; originalMessage?: string }): string {
  if (ended.signal !== undefined) return `ended by ${ended.signal}`;
  return ended.exitCode === undefined ? (ended.originalMessage ?? 'not started') : `ended with code ${ended.exitCode}`;
}
