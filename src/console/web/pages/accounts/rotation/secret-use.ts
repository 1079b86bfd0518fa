import type { Treaty } from '@elysia/eden';
import type { api } from '../../../api/client.ts';

/** Which signing secret the webhooks of an account use. */
export type SecretUses = Treaty.Data<ReturnType<typeof api.accounts>['secrets']['get']>;

const lastUse = ({ last_used_at }: { last_used_at: string | null }) =>
  last_used_at === null ? 0 : Date.parse(last_used_at);

/**
 * How far the provider is: `none` when no webhook has used the new secret or the old one, `old` when only the old one
 * is used, `both` when the old one was used last, and `new` when the latest webhook used the new one.
 */
export function progressOf({ current, previous }: SecretUses): 'none' | 'old' | 'both' | 'new' {
  const [fresh, old] = [lastUse(current), lastUse(previous)];
  if (fresh === 0) return old === 0 ? 'none' : 'old';
  return old > fresh ? 'both' : 'new';
}

/** Whether a webhook was rejected after the latest one that was accepted with the new secret. */
export function isRejecting({ current, rejected }: SecretUses): boolean {
  return rejected.last_received_at !== null && Date.parse(rejected.last_received_at) > lastUse(current);
}
