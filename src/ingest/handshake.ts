import type { InboundAccount } from '../accounts/account-directory.ts';
import { Problem } from '../http/problem.ts';
import type { InboundRequest } from '../providers/inbound-request.ts';
import type { ChallengeAnswer, Provider } from '../providers/provider.ts';
import { type Client, type IngestDeps, ingestionNotFound } from './ingest.ts';

/** The methods that an address of this provider takes. A provider that is none has no say: POST says so to whoever asks. */
export function ingestionMethods(provider: Provider | undefined): string[] {
  return provider?.handshake ? ['GET', 'HEAD', 'POST'] : ['POST'];
}

/**
 * Answers the GET or HEAD by which a provider looks at an address before it sends anything. Like a webhook, it is refused
 * only by what the database says now.
 *
 * @throws Problem 403, 404, or 401 when it lacks what the account's `provider_config` wants of it.
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
  throw new Problem('verification_failed', 'the check of this address could not be verified');
}
