import type { NewToken } from './use-tokens.ts';

const dayMs = 86_400_000;

/** Lives of a token, in days; `never` has no end. */
export const lives = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['never', 'No end'],
] as const;

export const scopes = [
  ['app_key', 'The accounts of an app key'],
  ['account', 'One account'],
  ['all', 'Everything'],
] as const;

export const roles = [
  ['read', 'Read'],
  ['operate', 'Operate'],
  ['admin', 'Admin'],
] as const;

export interface TokenDraft {
  name: string;
  role: string;
  scope: string;
  appKey: string;
  accountId: string;
  life: string;
}

export const emptyDraft: TokenDraft = {
  ...{ name: '', role: 'read', scope: 'app_key', appKey: '', accountId: '', life: '90' },
};

/** What a draft creates. @param nowMs when its life begins */
export function newTokenOf({ name, role, scope, appKey, accountId, life }: TokenDraft, nowMs: number): NewToken {
  return {
    name,
    role: roles.find(([value]) => value === role)?.[0] ?? 'read',
    ...(scope === 'app_key' ? { app_key: appKey } : {}),
    ...(scope === 'account' ? { account_id: accountId } : {}),
    ...(life === 'never' ? {} : { expires_at: new Date(nowMs + Number(life) * dayMs) }),
  };
}
