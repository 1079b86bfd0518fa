import type { InboundAccount } from '../accounts/account-directory.ts';
import type { Log } from '../shared/log.ts';
import { RareWarning } from '../shared/rare-warning.ts';

type Account = Pick<InboundAccount, 'id' | 'provider' | 'accountSlug'>;

const hourMs = 3_600_000;

/** Logs a warning at most once an hour, with the latest account and the number of such webhooks of all accounts. */
export function exceededConditionWarnings(
  log: Pick<Log, 'warn'>,
): (account: Account, consumers: readonly string[]) => void {
  const warning = new RareWarning(undefined, hourMs);
  return ({ id: accountId, provider, accountSlug }, consumers) => {
    warning.add();
    warning.tell((webhooks) =>
      log.warn(
        { accountId, provider, accountSlug, consumers, webhooks },
        'condition of a consumer needs too much work for a webhook, it counts as met',
      ),
    );
  };
}
