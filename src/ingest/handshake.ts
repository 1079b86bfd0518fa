import type { InboundAccount } from '../accounts/account-directory.ts';
import { Problem } from '../http/problem.ts';
import type { InboundRequest } from '../providers/inbound-request.ts';
import type { ChallengeAnswer, Provider } from '../providers/provider.ts';
import { type Client, type IngestDeps, ingestionNotFound } from './ingest.ts';

/** The HTTP methods of a provider's addresses. An unknown provider has POST, which then responds with 404. */
export function ingestionMethods(provider: Provider | undefined): string[] {
  return provider?.handshake ? ['GET', 'HEAD', 'POST'] : ['POST'];
}

/**
 * Responds to the GET or HEAD request with which a provider checks an address before it sends webhooks. As with a
 * webhook, the account is read from the database before the request is refused.
 *
 * @throws Problem 403, 404, or 401 when the request lacks what the account's `provider_config` requires.
 */
export async function handshake(
  deps: Pick<IngestDeps, 'directory'>,
  provider: Provider,
  slug: string,
  request: InboundRequest,
  client: Client,
): Promise<ChallengeAnswer> {
  const answer = (account: InboundAccount | null) => {
    const result = account?.enabled && account.config ? provider.handshake?.(request, account.config) : null;
    return result?.ok ? result.answer : null;
  };
  const first = await deps.directory.lookup(provider.name, slug, client);
  const firstAnswer = answer(first.account);
  if (firstAnswer) return firstAnswer;
  const account = first.fresh ? first.account : await deps.directory.fresh(provider.name, slug, client);
  const secondAnswer = first.fresh ? null : answer(account);
  if (secondAnswer) return secondAnswer;
  if (!account) throw ingestionNotFound();
  if (!account.enabled) throw new Problem('account_disabled', 'the account of this address is disabled');
  throw new Problem('verification_failed', 'the address check could not be verified');
}
