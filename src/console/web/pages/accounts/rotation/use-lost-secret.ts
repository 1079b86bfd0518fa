import { skipToken, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { answer, api } from '../../../api/client.ts';
import type { Account } from '../../../api/types.ts';
import type { AccountMutation } from '../data/account-change.ts';

/** A token may compare ten times a minute. */
const whileAwayMs = 10_000;

/**
 * The secret that a save of `change` has stored although its answer was lost; null without one. The gateway compares what
 * was sent with what it has stored, because a colleague may have changed the secret.
 *
 * @param isChanged whether the account, as it was read, can have one of the secrets that were sent
 * @returns `isUnknown` until the gateway has compared them
 */
export function useLostSecret(
  account: Account,
  change: AccountMutation,
  field: 'signing_secret_current' | 'delivery_secret' | 'project_delivery_secret',
  isChanged: boolean,
): { lost: string | null; isUnknown: boolean } {
  /** All of them, because each answer may have been lost. The latest is first. */
  const sent = useRef<string[]>([]);
  const latest = change.variables?.[field];
  if (latest && !sent.current.includes(latest)) sent.current.unshift(latest);
  const isAsked = sent.current.length > 0 && !change.isSuccess && isChanged;
  const { secrets } = api.accounts({ account_id: account.id });
  const { data } = useQuery({
    queryKey: ['lost-secret', account.id, field, change.submittedAt],
    queryFn: isAsked
      ? async ({ signal }) => {
          for (const secret of sent.current) {
            const body = { account: { [field]: secret } };
            const { differ } = await answer(secrets.compare.post(body, { fetch: { signal } }));
            if (differ.length === 0) return secret;
          }
          return null;
        }
      : skipToken,
    // The secret is dropped with the form.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (state.error ? whileAwayMs : false),
  });
  // Also while a later change is in flight.
  const lost = useRef<string | null>(null);
  lost.current = data ?? lost.current;
  return { lost: lost.current, isUnknown: isAsked && data === undefined };
}
