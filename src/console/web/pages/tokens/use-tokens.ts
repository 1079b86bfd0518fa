import type { Treaty } from '@elysia/eden';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../api/client.ts';

export type StoredToken = Treaty.Data<typeof api.tokens.get>[number];
export type CreatedToken = Treaty.Data<typeof api.tokens.post>;
export type NewToken = Parameters<typeof api.tokens.post>[0];

const key = ['tokens'];

export const useTokens = () =>
  useQuery({
    queryKey: key,
    queryFn: ({ signal }) => answer(api.tokens.get({ query: {}, fetch: { signal } })),
  });

export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (token: NewToken) => answer(api.tokens.post(token)),
    // The token is in memory only as long as the page shows it.
    gcTime: 0,
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}

export function useRevokeToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: StoredToken) => answer(api.tokens({ token_id: id }).delete()),
    // Not awaited: the dialog shows the outcome of the call also while the tokens cannot be read.
    onSettled: () => void client.invalidateQueries({ queryKey: key }),
  });
}
