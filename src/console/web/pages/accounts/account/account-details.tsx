import { Link } from '@tanstack/react-router';
import { useProviders } from '../../../api/providers.ts';
import type { Account } from '../../../api/types.ts';
import { Badge } from '../../../components/badge.tsx';
import { buttonClass } from '../../../components/button.tsx';
import { Page } from '../../../components/page.tsx';
import { OpenIncidents } from '../../incidents/open-incidents.tsx';
import { AccountPause } from '../consumers/account-pause.tsx';
import { ConsumersPanel } from '../consumers/consumers-panel.tsx';
import { useConsumers } from '../consumers/use-consumers.ts';
import { DestinationsPanel } from '../destinations/destinations-panel.tsx';
import { AccountState } from '../list/account-state.tsx';
import { SecretsPanel } from '../rotation/secrets-panel.tsx';
import styles from './account.module.css';
import { AccountFacts } from './account-facts.tsx';
import { AccountWarnings } from './account-warnings.tsx';
import { ConsumerPanel } from './consumer-panel.tsx';
import { EndPanel } from './end-panel.tsx';
import { TestPanel } from './test-panel.tsx';

/** The page of an account that exists. */
export function AccountDetails({ account }: { account: Account }) {
  const { data: providers } = useProviders();
  const provider = providers?.find(({ name }) => name === account.provider);
  const { data: consumers } = useConsumers(account.id);
  const { provider: name, account_slug, delivery_url, project_delivery_url } = account;
  const ofAccount = { provider: name, account_slug };
  // Consumers other than `default` always have one.
  const hasNoUrl = delivery_url === null && project_delivery_url === null && consumers?.length === 1;
  return (
    <Page
      title={account_slug}
      aside={
        <>
          <AccountState account={account} />
          {hasNoUrl && <Badge state="pending" label="no delivery URL" />}
        </>
      }
      actions={
        <>
          <Link to="/events" search={ofAccount} className={buttonClass()}>
            Events
          </Link>
          <Link to="/rejected" search={ofAccount} className={buttonClass()}>
            Rejected webhooks
          </Link>
        </>
      }
    >
      <AccountWarnings account={account} />
      <OpenIncidents accountId={account.id} />
      <AccountPause account={account} />
      <div className={`panels ${styles.columns}`}>
        <div className="panels">
          <div id="account">
            <AccountFacts account={account} provider={provider} canEdit={providers !== undefined} />
          </div>
          <ConsumersPanel account={account} />
          <ConsumerPanel accountId={account.id} />
          <DestinationsPanel accountId={account.id} />
        </div>
        <div className="panels">
          <TestPanel account={account} />
          <SecretsPanel account={account} provider={provider} />
          <EndPanel account={account} />
        </div>
      </div>
    </Page>
  );
}
