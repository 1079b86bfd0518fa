import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';
import { useAction } from '../../../components/use-action.ts';
import { accountKey, consumersKey } from '../data/queries.ts';
import type { Consumer, ConsumerChange, NewConsumer } from './consumer-types.ts';

/** Another operator may change them, too. */
const everyMs = 10_000;

const consumersOf = (accountId: string) => api.accounts({ account_id: accountId }).consumers;
const one = (accountId: string, consumer: string) => consumersOf(accountId)({ consumer });
/** A reason of one's own, or none. */
const pauseOf = (reason: string) => (reason.trim() === '' ? {} : { reason: reason.trim() });

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
    onSuccess: () => client.invalidateQueries({ queryKey: consumersKey(accountId) }),
  });
}

/** Pauses deliveries to a consumer. */
export const usePauseConsumer = (accountId: string, name: string, onDone: () => void) =>
  useAction({
    call: (reason: string) => answer(one(accountId, name).pause.post(pauseOf(reason))),
    done: () => `Deliveries to ${name} are paused.`,
    changes: consumersKey(accountId),
    onDone,
  });

export const useResumeConsumer = (accountId: string, name: string) =>
  useAction({
    call: () => answer(one(accountId, name).resume.post()),
    done: () => `Deliveries to ${name} are resumed.`,
    changes: consumersKey(accountId),
  });

/** Pauses deliveries to all consumers of an account. */
export const usePauseAccount = (accountId: string, onDone: () => void) =>
  useAction({
    call: (reason: string) => answer(api.accounts({ account_id: accountId }).pause.post(pauseOf(reason))),
    done: () => 'Deliveries of the account are paused.',
    changes: accountKey(accountId),
    onDone,
  });

export const useResumeAccount = (accountId: string) =>
  useAction({
    call: () => answer(api.accounts({ account_id: accountId }).resume.post()),
    done: () => 'Deliveries of the account are resumed.',
    changes: accountKey(accountId),
  });
