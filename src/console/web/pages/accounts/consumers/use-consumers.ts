import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';
import { consumersKey } from '../data/queries.ts';
import type { Consumer, ConsumerChange, NewConsumer } from './consumer-types.ts';

/** Another operator may change them, too. */
const everyMs = 10_000;

const consumersOf = (accountId: string) => api.accounts({ account_id: accountId }).consumers;
const one = (accountId: string, consumer: string) => consumersOf(accountId)({ consumer });

/** The consumers of an account, `default` first. */
export const useConsumers = (accountId: string) =>
  useQuery({
    queryKey: consumersKey(accountId),
    queryFn: ({ signal }) => answer(consumersOf(accountId).get({ fetch: { signal } })),
    refetchInterval: everyMs,
  });

/** Creates a consumer, or changes the one of a name. Answers it as it is stored. */
export function useSaveConsumer(accountId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (save: { create: NewConsumer } | { name: string; change: ConsumerChange }) =>
      'create' in save
        ? answer(consumersOf(accountId).post(save.create))
        : answer(one(accountId, save.name).patch(save.change)),
    // The variables may hold a secret, so they are dropped with the form.
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: consumersKey(accountId) }),
  });
}

export function useDeleteConsumer(accountId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ name }: Consumer) => answer(one(accountId, name).delete()),
    // Not awaited: the dialog closes also while the list cannot be read.
    onSuccess: () => void client.invalidateQueries({ queryKey: consumersKey(accountId) }),
  });
}
