import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';
import { accountKey, accountsKey, secretsKey } from './queries.ts';

/** The fields that `PATCH` takes. Only those that are present are changed; null clears a field. */
export type AccountChange = NonNullable<Parameters<ReturnType<typeof api.accounts>['patch']>[0]>;

/** Changes an account, and shows the answer in all parts of the page. */
export function useChangeAccount(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: AccountChange) => answer(api.accounts({ account_id: id }).patch(change)),
    // The variables may hold secrets, so they are dropped with the form.
    gcTime: 0,
    onSuccess(account) {
      client.setQueryData(accountKey(id), account);
      void client.invalidateQueries({ queryKey: accountsKey });
      void client.invalidateQueries({ queryKey: secretsKey(id) });
    },
  });
}
