import type { Provider } from '../../../api/types.ts';
import { newSigningSecret } from '../data/new-secret.ts';
import { type ConfigField, type ConfigTexts, configTexts } from '../fields/config-schema.ts';
import type { AccountSummary } from '../list/account-summary.ts';
import { stepsOf } from './provider-steps.ts';

/** Where the events of a new account go: to a service of the user, to this gateway itself as a trial, or nowhere yet. */
export type Consumer = 'own' | 'trial' | 'none';

/** What the user enters for a new account. */
export interface Draft {
  slug: string;
  appKey: string;
  secret: string;
  config: ConfigTexts;
  consumer: Consumer;
  deliveryUrl: string;
  deliverySecret: string;
}

/** A slug that no account of the provider has. */
function freeSlug(provider: string, accounts: readonly AccountSummary[]): string {
  const taken = new Set(accounts.filter((one) => one.provider === provider).map((one) => one.account_slug));
  const name = provider === 'generic' ? 'hello' : 'main';
  for (let n = 1; ; n++) {
    const slug = n === 1 ? name : `${name}-${n}`;
    if (!taken.has(slug)) return slug;
  }
}

/** The app key that most accounts have. */
function usualAppKey(accounts: readonly AccountSummary[]): string {
  const counts = new Map<string, number>();
  for (const { app_key } of accounts) counts.set(app_key, (counts.get(app_key) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? 'my-app';
}

/** The form of a new account before the user enters anything: what can be chosen for the user is filled in. */
export function newDraft(
  { name, trial_url }: Provider,
  fields: readonly ConfigField[],
  accounts: readonly AccountSummary[],
): Draft {
  const steps = stepsOf(name);
  const chosen = fields.filter(({ kind }) => kind === 'secret').map((field) => [field.name, newSigningSecret()]);
  return {
    slug: freeSlug(name, accounts),
    appKey: usualAppKey(accounts),
    secret: steps.secret === 'chosen' ? newSigningSecret() : '',
    config: { ...configTexts(fields, steps.config ?? {}), ...Object.fromEntries(chosen) },
    consumer: name !== 'generic' ? 'own' : trial_url ? 'trial' : 'none',
    deliveryUrl: '',
    deliverySecret: '',
  };
}
