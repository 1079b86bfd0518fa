import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';
import { announce } from '../../../components/announce.ts';
import type { Destination, DestinationChange, NewDestination } from './destination-types.ts';
import { positionsOf } from './order.ts';

const keyOf = (accountId: string) => ['destinations', accountId];
/** Another operator may change them, too. */
const everyMs = 30_000;
const whileAwayMs = 5_000;

/** The destinations of an account in their order. */
export const useDestinations = (accountId: string) =>
  useQuery({
    queryKey: keyOf(accountId),
    queryFn: ({ signal }) => answer(api.accounts({ account_id: accountId }).destinations.get({ fetch: { signal } })),
    refetchInterval: ({ state }) => (state.error ? whileAwayMs : everyMs),
  });

const destinationsOf = (accountId: string) => api.accounts({ account_id: accountId }).destinations;
const one = (accountId: string, id: string) => destinationsOf(accountId)({ destination_id: id });

/** Creates a destination, or changes the given one. Answers it as it is stored. */
export function useSaveDestination(accountId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (save: { create: NewDestination } | { id: string; change: DestinationChange }) =>
      'create' in save
        ? answer(destinationsOf(accountId).post(save.create))
        : answer(one(accountId, save.id).patch(save.change)),
    // With a new secret.
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: keyOf(accountId) }),
  });
}

export function useDeleteDestination(accountId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Destination) => answer(one(accountId, id).delete()),
    // Not awaited: the dialog closes also while the list cannot be read.
    onSuccess: () => void client.invalidateQueries({ queryKey: keyOf(accountId) }),
  });
}

/** Puts a destination in another place. The list shows it at once. */
export function useMoveDestination(accountId: string) {
  const client = useQueryClient();
  const queryKey = keyOf(accountId);
  const mutationKey = ['order', accountId];
  return useMutation({
    mutationKey,
    // One after another: two at once would mix their positions.
    scope: { id: `order of ${accountId}` },
    mutationFn: async (ordered: Destination[]) => {
      // What an order before it has stored, which the rows of the page do not show.
      const stored = await answer(destinationsOf(accountId).get());
      for (const { id, position } of positionsOf(ordered, stored)) await answer(one(accountId, id).patch({ position }));
    },
    onMutate: async (ordered) => {
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, ordered);
    },
    onError: (problem) => announce(`The order was not stored. ${problem.message}`, 'bad'),
    // Another one that waits has the order that the page shows.
    onSettled: () => (client.isMutating({ mutationKey }) > 1 ? undefined : client.invalidateQueries({ queryKey })),
  });
}
