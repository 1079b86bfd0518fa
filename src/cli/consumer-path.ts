import { isConsumerName } from '../consumers/consumer-rules.ts';
import type { Cli } from './cli.ts';
import { CliError, exitCodes } from './exit.ts';
import { resolveAccount } from './resolve-account.ts';

/**
 * The path of a consumer in the admin API.
 *
 * @param account `provider/slug`, or its id
 * @throws CliError for what is no name of a consumer: `..` would make it the path of the account
 */
export async function consumerPath(cli: Cli, account: string, consumer: string): Promise<string> {
  if (!isConsumerName(consumer))
    throw new CliError(
      exitCodes.notFound,
      `${account} has no consumer ${consumer}`,
      `\`webhook-gateway consumers list ${account}\` shows those that it has.`,
    );
  return `/admin/accounts/${(await resolveAccount(cli, account)).id}/consumers/${consumer}`;
}
