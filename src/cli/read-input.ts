import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Cli } from './cli.ts';
import { usageError } from './exit.ts';

/**
 * The text of a file, or of standard input for `-`.
 *
 * @throws CliError if it cannot be read
 */
export async function readInput(cli: Pick<Cli, 'stdin'>, path: string): Promise<string> {
  if (path === '-') return text(cli.stdin);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw usageError(
      `${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`,
      'Check the path, and that you can read the file.',
    );
  }
}

/**
 * A secret of a file or of standard input, without the newline that editors and `echo` add. At a terminal, `-` asks for it
 * without showing it.
 *
 * @param name what is asked for
 */
export async function readSecret(cli: Pick<Cli, 'stdin' | 'prompts'>, path: string, name: string): Promise<string> {
  if (path === '-' && cli.prompts.possible) return cli.prompts.secret(`${name}:`, 'Use a file.');
  const secret = (await readInput(cli, path)).replace(/\r?\n$/, '');
  if (secret === '')
    throw usageError(`${path === '-' ? 'standard input' : path} is empty`, 'It must have the secret and nothing else.');
  return secret;
}
