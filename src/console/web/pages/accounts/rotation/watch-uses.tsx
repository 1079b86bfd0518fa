import { Link } from '@tanstack/react-router';
import type { Account } from '../../../api/types.ts';
import { Moment } from '../../../components/moment.tsx';
import { Notice } from '../../../components/notice.tsx';
import { counted } from '../../../components/number-text.ts';
import { isRejecting, progressOf, type SecretUses } from './secret-use.ts';
import { UsesTable } from './uses-table.tsx';

const words = {
  none: 'No webhook has been accepted since the new secret was saved.',
  old: 'Webhooks still use the old secret only.',
  both: 'Webhooks use both secrets. The latest accepted one used the old secret.',
  new: 'The latest accepted webhook used the new secret.',
} as const;

/** Which secret the latest webhooks used during a rotation, and how many were rejected. */
export function WatchUses({ account, uses }: { account: Account; uses: SecretUses }) {
  const { provider, account_slug, signing_secret_previous_expires_at: end } = account;
  const progress = progressOf(uses);
  const { rejected } = uses;
  return (
    <>
      <div role="status" className="stack">
        <Notice tone={progress === 'new' ? 'good' : progress === 'none' ? 'calm' : 'open'}>{words[progress]}</Notice>
        {rejected.webhooks > 0 && (
          <Notice tone={isRejecting(uses) ? 'bad' : 'open'}>
            <span>
              {counted(rejected.webhooks, 'webhook')} rejected since the new secret was saved. Check that the provider
              uses the same secret.
            </span>
            <Link to="/rejected" search={{ provider, account_slug }}>
              Show why
            </Link>
          </Notice>
        )}
      </div>
      <UsesTable uses={uses} />
      {end !== null && (
        <p className="aside">
          The old secret is accepted until <Moment iso={end} />.
        </p>
      )}
    </>
  );
}
