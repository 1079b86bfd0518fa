import { isId } from '../../shared/is-id.ts';
import type { Cli } from '../cli.ts';
import { usageError } from '../exit.ts';
import { resolveAccount } from '../resolve-account.ts';

/**
 * The id of an event.
 *
 * @throws CliError for another text
 */
export function eventId(text: string): string {
  if (!isId(text)) throw usageError(`${text} is not the id of an event`, '`webhook-gateway events list` shows ids.');
  return text;
}

/** The address of `--account`, as filters of the API: lists by it have an index, lists by the id have none. */
export async function addressFilter(cli: Cli, account: string | undefined) {
  if (account === undefined) return {};
  const { provider, account_slug } = await resolveAccount(cli, account);
  return { provider, account_slug };
}
