import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { install, pythonProgram } from '../support/python-environment.ts';

/** Pinned, so that runs are reproducible. */
const version = '4.32.5';
const environment = { name: `schemathesis-${version}`, packages: [`schemathesis==${version}`] };

/**
 * The path of Schemathesis, which the first run installs.
 *
 * @throws Error that names the missing program
 */
export async function schemathesis(): Promise<string> {
  await install(environment);
  return pythonProgram(environment, 'st');
}

/** Runs a program in this terminal and returns its exit code, or 127 if it does not exist. */
export async function run(
  program: string,
  args: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<number> {
  const env = { ...process.env, ...options.env };
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'inherit', 'inherit'], env });
  const stop = () => child.kill('SIGTERM');
  process.once('exit', stop);
  try {
    const [code] = await once(child, 'exit');
    return code ?? 1;
  } catch {
    return 127;
  } finally {
    process.removeListener('exit', stop);
  }
}
