import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { answer, api } from '../../../api/client.ts';
import type { Account, EventItem, Provider } from '../../../api/types.ts';
import { Moment } from '../../../components/moment.tsx';
import { ProblemNotice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/page.tsx';
import { ArrivedWebhook } from './arrived-webhook.tsx';
import styles from './guide.module.css';
import { SampleWebhook } from './sample-webhook.tsx';

/** The user watches the page until the first webhook arrives. */
const everyMs = 1_000;
/** The newest few: enough to see a rejected one next to the next try. */
const shown = 5;

function titleOf(events: readonly EventItem[]): string {
  if (events.length === 0) return 'Waiting for the first webhook';
  if (events.some(({ state }) => state === 'delivered')) return 'The first webhook was delivered';
  return events.some(({ state }) => state !== 'rejected')
    ? 'The first webhook arrived'
    : 'A webhook arrived, and was rejected';
}

/** Waits for the first webhook of an account, and shows what happens to it. */
export function FirstWebhook(props: { provider: Provider; account: Account; secret: string | null }) {
  const { provider, account, secret } = props;
  const { data, error, refetch } = useQuery({
    queryKey: ['first-webhooks', account.id],
    queryFn: ({ signal }) => {
      const { account_slug, created_at } = account;
      const query = { provider: provider.name, account_slug, since: created_at, limit: shown };
      return answer(api.events.get({ query, fetch: { signal } }));
    },
    refetchInterval: everyMs,
  });
  const heading = useRef<HTMLSpanElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const title = (
    <span ref={heading} tabIndex={-1}>
      {titleOf(data ?? [])}
    </span>
  );
  return (
    <Panel title={title}>
      <div className="stack">
        {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
        <div role="status" className="stack">
          {data?.length === 0 && (
            <p className={styles.waiting}>
              <span className={styles.pulse} aria-hidden="true" />
              <span>
                The account <bdi>{account.account_slug}</bdi> is ready since <Moment iso={account.created_at} />.
                Nothing has arrived yet.
              </span>
            </p>
          )}
          {data?.map((event) => (
            <ArrivedWebhook key={event.id} event={event} account={account} />
          ))}
        </div>
        <SampleWebhook provider={provider} slug={account.account_slug} secret={secret} isFirst={data?.length === 0} />
      </div>
    </Panel>
  );
}
