import type { Cli } from './cli.ts';
import { usageError } from './exit.ts';
import { readBytes } from './inputs.ts';

/**
 * The text of a file, or of standard input for `-`.
 *
 * @throws CliError if it cannot be read
 */
export async function readInput(cli: Pick<Cli, 'stdin'>, path: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(cli, path));
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
