import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';
import type { Account } from '../../../api/types.ts';
import { announce } from '../../../components/announce.ts';
import { accountKey, accountsKey, consumersKey, secretsKey } from './queries.ts';

/** The fields that `PATCH` takes. Only those that are present are changed; null clears a field. */
export type AccountChange = NonNullable<Parameters<ReturnType<typeof api.accounts>['patch']>[0]>;

/** Changes an account, and shows the answer in all parts of the page. `save` also announces its success. */
export function useChangeAccount(id: string) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (change: AccountChange) => answer(api.accounts({ account_id: id }).patch(change)),
    // The variables may hold secrets, so they are dropped with the form.
    gcTime: 0,
    async onSuccess(account) {
      // A read that began before the change would bring back what it changed.
      await client.cancelQueries({ queryKey: accountKey(id) });
      client.setQueryData(accountKey(id), account);
      void client.invalidateQueries({ queryKey: accountsKey });
      void client.invalidateQueries({ queryKey: secretsKey(id) });
      // The consumer `default` has the address and the secret of the account.
      void client.invalidateQueries({ queryKey: consumersKey(id) });
    },
    // A colleague may have changed the account: the page shows what is in force now.
    onError(_, { if_updated_at }) {
      if (if_updated_at !== undefined) void client.invalidateQueries({ queryKey: accountKey(id) });
    },
  });
  const save = (changed: AccountChange, message: string, onSaved: (saved: Account) => void) =>
    change.mutate(changed, {
      onSuccess(saved) {
        announce(message, 'good');
        onSaved(saved);
      },
    });
  return { ...change, save };
}

export type AccountMutation = ReturnType<typeof useChangeAccount>;
