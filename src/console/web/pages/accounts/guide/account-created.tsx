import { Link } from '@tanstack/react-router';
import type { Account, Provider } from '../../../api/types.ts';
import { buttonClass } from '../../../components/button.tsx';
import { ProblemNotice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/page.tsx';
import { ToCopy } from '../../../components/to-copy.tsx';
import { AccountWarnings } from '../account/account-warnings.tsx';
import { useAccount } from '../data/queries.ts';
import { addressToPaste } from './addresses.ts';
import { AtProvider } from './at-provider.tsx';
import type { Draft } from './defaults.ts';
import { FirstWebhook } from './first-webhook.tsx';
import styles from './guide.module.css';
import { stepsOf } from './provider-steps.ts';

interface Props {
  provider: Provider;
  accountId: string;
  /** What the user entered, with its secrets; null after the page was loaded again. */
  draft: Draft | null;
}

/** After the account was created: what is left to do at the provider, and the wait for its first webhook. */
export function AccountCreated({ provider, accountId, draft }: Props) {
  const { data: account, error, refetch } = useAccount(accountId);
  if (!account) return error ? <ProblemNotice error={error} retry={() => void refetch()} /> : null;
  const secrets = draft ? secretsToPaste(provider, draft) : [];
  return (
    <div className={`panels ${styles.guide}`}>
      <div className="panels">
        <AccountWarnings account={account} />
        <FirstWebhook provider={provider} account={account} secret={draft?.secret ?? null} />
        {secrets.length > 0 && (
          <Panel title="Copy these now">
            <div className="stack">
              <p className="aside">The gateway does not show them again.</p>
              {secrets.map(([label, secret]) => (
                <ToCopy key={label} label={label} text={secret} />
              ))}
            </div>
          </Panel>
        )}
        <Left account={account} />
      </div>
      <div className={styles.provider}>
        <AtProvider
          provider={provider}
          address={addressToPaste(provider, account.account_slug, draft?.secret ?? null)}
          phase="after"
        />
      </div>
    </div>
  );
}

/** The secrets that the user pastes at the provider or in a service. Those that a provider shows are there already. */
function secretsToPaste(provider: Provider, { secret, config, consumer, deliverySecret }: Draft): [string, string][] {
  const { verify_token } = config;
  return [
    ...(stepsOf(provider.name).secret === 'shown' ? [] : [[provider.secret.label, secret] as [string, string]]),
    ...(verify_token ? [['Verify token', verify_token] as [string, string]] : []),
    ...(consumer === 'own' && deliverySecret ? [['Delivery secret', deliverySecret] as [string, string]] : []),
  ];
}

function Left({ account }: { account: Account }) {
  return (
    <div className="buttons">
      <Link to="/accounts/$accountId" params={{ accountId: account.id }} className={buttonClass()}>
        Open the account
      </Link>
      <Link to="/accounts" search={{ new: 'choose' }} className={buttonClass('quiet')}>
        New account
      </Link>
    </div>
  );
}
