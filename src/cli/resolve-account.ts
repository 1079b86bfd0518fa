import { isId } from '../shared/is-id.ts';
import { answered } from './answered.ts';
import type { Cli } from './cli.ts';
import { CliError, exitCodes, usageError } from './exit.ts';

/**
 * The account that `text` names: `provider/slug`, or its id.
 *
 * @throws CliError if there is none
 */
export async function resolveAccount(cli: Cli, text: string) {
  if (isId(text)) return answered(await cli.admin().accounts({ account_id: text }).get());
  const [provider, slug, ...rest] = text.split('/');
  if (!provider || !slug || rest.length > 0)
    throw usageError(`${text} is not an account`, 'Write it as provider/slug, such as generic/shop, or as its id.');
  const accounts = answered(await cli.admin().accounts.get({ query: { provider } }));
  const found = accounts.find(({ account_slug }) => account_slug === slug);
  if (!found)
    throw new CliError(
      exitCodes.notFound,
      `there is no account ${text}`,
      '`webhook-gateway accounts list` shows those that there are.',
    );
  return answered(await cli.admin().accounts({ account_id: found.id }).get());
}
