import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import type { Account } from '../../../api/types.ts';
import { Button } from '../../../components/button.tsx';
import { Choice } from '../../../components/field.tsx';
import { Panel } from '../../../components/page.tsx';
import { useConsumers } from '../consumers/use-consumers.ts';
import { TestOutcome } from './test-result.tsx';
import { useTestDelivery } from './use-test-delivery.ts';

/** Sends a test delivery to a consumer of an account, and shows its answer. */
export function TestPanel({ account }: { account: Account }) {
  const mayOperate = useMay('operate');
  const mayAdmin = useMay('admin');
  const { data: consumers = [] } = useConsumers(account.id);
  const [name, setName] = useState<string>();
  const chosen = consumers.find((consumer) => consumer.name === name);
  const test = useTestDelivery(account.id, chosen?.name);
  const url = chosen ? chosen.url : (account.delivery_url ?? account.project_delivery_url);
  if (!mayOperate) return null;
  return (
    <Panel
      title="Test delivery"
      actions={
        <Button disabled={url === null} blocked={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? 'Sending …' : 'Send test delivery'}
        </Button>
      }
    >
      <div className="stack">
        <p className="aside">
          {url === null
            ? `The account has no delivery URL. ${mayAdmin ? 'Edit the account to add one.' : 'A user with the role admin can add one.'}`
            : `Posts a signed event of the type webhook_gateway.test to ${chosen ? 'the URL of the consumer' : 'the delivery URL'}. It is not stored and not retried.`}
        </p>
        {consumers.length > 1 && (
          <Choice
            label="Consumer"
            value={chosen?.name ?? 'default'}
            options={consumers.map((consumer) => [consumer.name, consumer.name])}
            onChange={(consumer) => {
              setName(consumer);
              test.reset();
            }}
          />
        )}
        <div aria-live="polite">
          <TestOutcome result={test.isPending ? undefined : test.data} error={test.error} />
        </div>
      </div>
    </Panel>
  );
}
