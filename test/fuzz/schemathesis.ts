import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Pinned, so that runs are reproducible. */
const version = '4.32.5';

/**
 * The path of Schemathesis in a virtual environment below `cacheDir`. The first run creates it with the machine's Python
 * and the package index of pip's configuration.
 *
 * @throws Error that names the missing program
 */
export async function schemathesis(cacheDir: string): Promise<string> {
  const folder = join(cacheDir, `schemathesis-${version}`);
  const program = join(folder, 'bin', 'st');
  const done = join(folder, 'installed');
  if (existsSync(done)) return program;
  console.log(`Installing Schemathesis ${version} (once) …`);
  const failed = 'Schemathesis needs Python 3.10 or newer with venv and pip, and a package index that pip can reach';
  if ((await run('python3', ['-m', 'venv', '--clear', folder])) !== 0) throw new Error(failed);
  const pip = join(folder, 'bin', 'pip');
  const install = ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${version}`];
  if ((await run(pip, install)) !== 0) throw new Error(failed);
  await run('touch', [done]);
  return program;
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
