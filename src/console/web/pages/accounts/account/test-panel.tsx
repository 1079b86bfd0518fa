import { useMay } from '../../../api/session.ts';
import type { Account } from '../../../api/types.ts';
import { Button } from '../../../components/button.tsx';
import { Panel } from '../../../components/page.tsx';
import { TestOutcome } from './test-result.tsx';
import { useTestDelivery } from './use-test-delivery.ts';

/** Sends a test delivery to the consumer of an account, and shows its answer. */
export function TestPanel({ account }: { account: Account }) {
  const mayOperate = useMay('operate');
  const mayAdmin = useMay('admin');
  const test = useTestDelivery(account.id);
  const url = account.delivery_url ?? account.project_delivery_url;
  if (!mayOperate) return null;
  return (
    <Panel
      title="Test delivery"
      actions={
        <Button disabled={test.isPending || url === null} onClick={() => test.mutate()}>
          {test.isPending ? 'Sending …' : 'Send test delivery'}
        </Button>
      }
    >
      <div className="stack">
        <p className="aside">
          {url === null
            ? `The account has no delivery URL. ${mayAdmin ? 'Edit the account to add one.' : 'A user with the role admin can add one.'}`
            : 'Posts a signed event of the type webhook_gateway.test to the delivery URL. It is not stored and not retried.'}
        </p>
        <div aria-live="polite">
          <TestOutcome result={test.isPending ? undefined : test.data} error={test.error} />
        </div>
      </div>
    </Panel>
  );
}
