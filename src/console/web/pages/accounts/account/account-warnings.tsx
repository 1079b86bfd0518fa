import type { Account } from '../../../api/types.ts';
import { Notice } from '../../../components/notice.tsx';

/** Settings of an account that cannot work, or that a new account may not have. */
export function AccountWarnings({ account }: { account: Account }) {
  // An api of the release before sends none.
  return account.warnings?.map(({ path, message }) => (
    <Notice key={path} tone="open">
      <div>
        <p>
          <code>{path}</code> {message}.
        </p>
        {/url$/.test(path) ? (
          <p>Deliveries to it are refused until its name leads elsewhere, or the network is allowed.</p>
        ) : (
          <p>
            This setting is older than that rule and stays in force. Webhooks that can be read in several ways are
            rejected.
          </p>
        )}
      </div>
    </Notice>
  ));
}
