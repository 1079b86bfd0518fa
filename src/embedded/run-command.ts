import { execa } from 'execa';

export type CommandResult = { ok: true; output: string } | { ok: false; reason: string; output: string };

const keptChars = 64 * 1024;
/** No program that the gateway runs prints a hundredth of it. */
const maxChars = 16 * 1024 * 1024;
const reasonLines = 3;

/**
 * Runs a program and resolves with its output (standard output and error together). Never rejects: a failure is a
 * result.
 *
 * If the program exceeds the limit, prints without end, is aborted, or the gateway exits, its whole process group is
 * killed.
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
  const tooLong = new AbortController();
  const running = execa(program, args, {
    ...spawnOptions,
    extendEnv: spawnOptions.env === undefined,
    stdin: 'ignore',
    all: true,
    // The output is collected below: execa would end a program whose output exceeds its buffer.
    buffer: false,
    timeout: limitMs,
    cancelSignal: signal ? AbortSignal.any([signal, tooLong.signal]) : tooLong.signal,
    killSignal: 'SIGKILL',
    killDescendants: true,
    reject: false,
  });
  let output = '';
  let printed = 0;
  running.all.setEncoding('utf8').on('data', (chunk: string) => {
    output = (output + chunk).slice(-keptChars);
    printed += chunk.length;
    if (printed > maxChars) tooLong.abort();
  });
  const ended = await running;
  if (!ended.failed) return { ok: true, output };
  if (ended.timedOut) return { ok: false, reason: `it took longer than ${Math.round(limitMs / 1000)} s`, output };
  if (tooLong.signal.aborted) return { ok: false, reason: 'its output does not end', output };
  if (ended.isCanceled) return { ok: false, reason: 'it was interrupted', output };
  const last = output.trim().split('\n').slice(-reasonLines).join(' ').trim();
  return { ok: false, reason: last || endOf(ended), output };
}

function endOf(ended: { exitCode?: number; signal?: string; originalMessage?: string }): string {
  if (ended.signal !== undefined) return `ended by ${ended.signal}`;
  return ended.exitCode === undefined ? (ended.originalMessage ?? 'not started') : `ended with code ${ended.exitCode}`;
}
