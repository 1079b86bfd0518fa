import type { InboundAccount } from '../accounts/account-directory.ts';
import type { Log } from '../shared/log.ts';
import { RareWarning } from '../shared/rare-warning.ts';

/** An account whose webhook was rejected because of a secret that cannot be decrypted. */
type Account = Pick<InboundAccount, 'id' | 'provider' | 'accountSlug'>;

/** Logs a warning at most once a minute, with the latest account and the number of rejected webhooks of all accounts. */
export function unreadableSecretWarnings(log: Pick<Log, 'warn'>): (account: Account) => void {
  const warning = new RareWarning();
  return ({ id: accountId, provider, accountSlug }) => {
    warning.add();
    warning.tell((rejected) =>
      log.warn(
        { accountId, provider, accountSlug, rejected },
        'secret of an account unreadable with SECRETS_KEY, its webhooks are rejected; set the secret again',
      ),
    );
  };
}
