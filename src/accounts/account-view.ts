import type { Provider } from '../providers/provider.ts';
import { shownConfig } from '../providers/provider-config.ts';
import type { AccountRow } from './account-entity.ts';
import type { AccountStore } from './account-store.ts';
import { type AddressRules, addressWarnings } from './address-rules.ts';
import { shownPause } from './pause.ts';
import { previousSecret } from './signing-rotation.ts';
import { maskedUrl } from './url-credentials.ts';

/** An account in the form of the list (R14). */
export function accountSummary(account: AccountRow) {
  const { id, provider, account_slug, app_key, org_id, delivery_url, enabled, skip_signature_verification } = account;
  return {
    ...{ id, provider, account_slug, app_key, org_id: org_id ?? null },
    delivery_url: delivery_url ? maskedUrl(delivery_url, account.delivery_url_credentials !== null) : null,
    ...{ enabled, skip_signature_verification },
  };
}

/** What a view needs of the store. */
export type ShownBy = Pick<AccountStore, 'configOf' | 'previousEnds' | 'warningsOf'>;

/** One account with all fields. Secrets are write-only: only `has_<secret>` is shown. */
export async function accountView(
  deps: { accounts: ShownBy; providers: ReadonlyMap<string, Provider>; addresses: Pick<AddressRules, 'warning'> },
  account: AccountRow,
) {
  const { project_delivery_url } = account;
  const provider = deps.providers.get(account.provider);
  const config = deps.accounts.configOf(account);
  const ends = await deps.accounts.previousEnds(account.id);
  const hasPrevious = previousSecret(account) !== null;
  const unreachable = await addressWarnings(deps.addresses, {
    delivery_url: account.delivery_url ?? null,
    project_delivery_url: project_delivery_url ?? null,
  });
  return {
    ...accountSummary(account),
    provider_config: provider && config ? shownConfig(provider, config) : null,
    project_id: account.project_id ?? null,
    project_delivery_url: project_delivery_url
      ? maskedUrl(project_delivery_url, account.project_delivery_url_credentials !== null)
      : null,
    has_signing_secret_current: account.signing_secret_current !== null,
    has_signing_secret_previous: hasPrevious,
    signing_secret_previous_expires_at: hasPrevious
      ? (account.signing_secret_previous_expires_at?.toISOString() ?? null)
      : null,
    has_delivery_secret: account.delivery_secret !== null,
    delivery_secret_previous_expires_at: ends.delivery_secret ?? null,
    has_project_delivery_secret: account.project_delivery_secret !== null,
    project_delivery_secret_previous_expires_at: ends.project_delivery_secret ?? null,
    paused: shownPause(account),
    created_at: account.created_at.toISOString(),
    updated_at: account.updated_at.toISOString(),
    warnings: [...deps.accounts.warningsOf(account), ...unreachable],
  };
}
