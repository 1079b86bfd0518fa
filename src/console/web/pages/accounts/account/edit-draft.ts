import type { Account } from '../../../api/types.ts';
import type { AccountChange } from '../data/account-change.ts';
import { type ConfigField, type ConfigTexts, configChange, configTexts } from '../fields/config-schema.ts';

const required = ['account_slug', 'app_key'] as const;
const optional = ['org_id', 'delivery_url', 'project_id', 'project_delivery_url'] as const;
type TextName = (typeof required)[number] | (typeof optional)[number];

/** The fields of an account as a form has them. An empty text stands for none. */
export type EditDraft = Record<TextName, string> & { skip_signature_verification: boolean; config: ConfigTexts };

export function draftOf(account: Account, fields: readonly ConfigField[]): EditDraft {
  const { account_slug, app_key, org_id, delivery_url, project_id, project_delivery_url } = account;
  return {
    ...{ account_slug, app_key },
    org_id: org_id ?? '',
    delivery_url: delivery_url ?? '',
    project_id: project_id ?? '',
    project_delivery_url: project_delivery_url ?? '',
    skip_signature_verification: account.skip_signature_verification,
    config: configTexts(fields, account.provider_config ?? {}),
  };
}

/** The fields that the user changed. Others are left out, so that changes of colleagues stay. */
export function changeOf(before: EditDraft, now: EditDraft, fields: readonly ConfigField[]): AccountChange {
  const change: AccountChange = {};
  for (const name of required) if (now[name] !== before[name]) change[name] = now[name];
  for (const name of optional) if (now[name] !== before[name]) change[name] = now[name] === '' ? null : now[name];
  if (now.skip_signature_verification !== before.skip_signature_verification)
    change.skip_signature_verification = now.skip_signature_verification;
  const provider_config = configChange(fields, now.config, before.config);
  if (provider_config) change.provider_config = provider_config;
  return change;
}

/** Whether the form shows errors of this path next to a field. */
export const hasField = (path: string) =>
  path.startsWith('provider_config.') || [...required, ...optional].some((name) => name === path);
