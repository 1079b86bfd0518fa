import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import ms from 'ms';
import type { Header } from '../providers/inbound-request.ts';
import type { Cli } from './cli.ts';
import { usageError } from './exit.ts';

/**
 * The bytes of a file, or of standard input for `-`.
 *
 * @throws CliError if it cannot be read
 */
export async function readBytes(cli: Pick<Cli, 'stdin'>, path: string): Promise<Buffer> {
  if (path === '-') return buffer(cli.stdin as AsyncIterable<Buffer>);
  try {
    return readFileSync(path);
  } catch (error) {
    throw usageError(
      `${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`,
      'Check the path, and that you can read the file.',
    );
  }
}

/** @throws CliError for a text without a colon */
export function parseHeader(text: string): Header {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(0, colon)).trim();
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name))
    throw usageError(`'${text}' is not a header`, "Write it as 'Name: value'.");
  return [name, text.slice(colon + 1).trim()];
}

/** @throws CliError for what is not `NAME=VALUE` */
export function parsePair(text: string, option: string): [string, string] {
  const at = text.indexOf('=');
  if (at <= 0) throw usageError(`'${text}' is not a value of ${option}`, `Write it as ${option} name=value.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Milliseconds of `30s`, `5m`, `1h`. @throws CliError for another form */
export function parseDuration(text: string, option: string): number {
  if (!/^\d{1,6}(ms|s|m|h|d)$/.test(text))
    throw usageError(`'${text}' is not a duration for ${option}`, `Write it as 30s, 5m, 1h or 2d.`);
  return ms(text as ms.StringValue);
}

/** @throws CliError for what is not an http: or https: address */
export function parseUrl(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usageError(`'${text}' is not an address for ${option}`, 'Write it as http://localhost:3000/hook.');
  return url;
}
