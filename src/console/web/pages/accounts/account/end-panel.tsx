import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import type { Account } from '../../../api/types.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ProblemNotice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/page.tsx';
import { useChangeAccount } from '../data/account-change.ts';
import { DeleteAccount } from './delete-account.tsx';

/** How an account is disabled, enabled and deleted. */
export function EndPanel({ account }: { account: Account }) {
  const mayAdmin = useMay('admin');
  const [asked, setAsked] = useState<'switch' | 'delete' | null>(null);
  if (!mayAdmin) return null;
  const close = () => setAsked(null);
  return (
    <Panel title={account.enabled ? 'Disable or delete' : 'Enable or delete'}>
      <div className="stack">
        <div className="spread">
          <p className="aside">
            {account.enabled
              ? 'A disabled account accepts no webhooks and sends nothing.'
              : 'The account accepts no webhooks and sends nothing until it is enabled.'}
          </p>
          <Button onClick={() => setAsked('switch')}>{account.enabled ? 'Disable …' : 'Enable …'}</Button>
        </div>
        <div className="spread">
          <p className="aside">Deleting an account cannot be undone. Its events stay readable.</p>
          <Button tone="danger" onClick={() => setAsked('delete')}>
            Delete …
          </Button>
        </div>
      </div>
      <SwitchAccount account={account} open={asked === 'switch'} onClose={close} />
      <DeleteAccount account={account} open={asked === 'delete'} onClose={close} />
    </Panel>
  );
}

/** Asks before an account is disabled or enabled. */
function SwitchAccount({ account, open, onClose }: { account: Account; open: boolean; onClose(): void }) {
  const change = useChangeAccount(account.id);
  const { enabled, account_slug } = account;
  const close = () => {
    change.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      open={open}
      title={`${enabled ? 'Disable' : 'Enable'} ${account_slug}?`}
      confirm={enabled ? 'Disable' : 'Enable'}
      tone={enabled ? 'danger' : 'main'}
      busy={change.isPending}
      onClose={close}
      onConfirm={() =>
        change.save({ enabled: !enabled }, enabled ? 'The account is disabled.' : 'The account is enabled.', close)
      }
    >
      {enabled ? (
        <p>
          Webhooks to its address are refused with 403 and not stored. Events that wait for delivery are held for up to
          seven days, and fail if the account is not enabled by then.
        </p>
      ) : (
        <p>The account accepts webhooks again, and the delivery of events that waited goes on.</p>
      )}
      {change.error && <ProblemNotice error={change.error} />}
    </ConfirmDialog>
  );
}
