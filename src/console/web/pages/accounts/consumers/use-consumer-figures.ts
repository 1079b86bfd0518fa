import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';
import type { Account } from '../../../api/types.ts';

/** An account may have 25 consumers, and each is asked for. */
const everyMs = 30_000;

/** How a consumer fared in the last day: its attempts of this hour or the one before, and whether any was accepted. */
export const useConsumerDay = (accountId: string, consumer: string) =>
  useQuery({
    queryKey: ['consumer-day', accountId, consumer],
    queryFn: async ({ signal }) => {
      const query = { hours: 24, consumer };
      const { points } = await answer(
        api.accounts({ account_id: accountId }).consumer.get({ query, fetch: { signal } }),
      );
      return {
        hour: points.slice(-2).findLast(({ attempts }) => attempts > 0) ?? null,
        hasSuccess: points.some(({ delivered }) => delivered > 0),
      };
    },
    refetchInterval: everyMs,
  });

/**
 * The newest webhook that a consumer has accepted, or null.
 *
 * @param isThere whether there is one: without one, the gateway would look at every stored event of the account.
 */
export const useLastDelivered = ({ id, provider, account_slug }: Account, consumer: string, isThere: boolean) =>
  useQuery({
    queryKey: ['consumer-delivered', id, consumer],
    queryFn: async ({ signal }) => {
      const query = { provider, account_slug, consumer, delivery_status: 'delivered' as const, limit: 1 };
      const [newest] = await answer(api.events.get({ query, fetch: { signal } }));
      return newest ?? null;
    },
    enabled: isThere,
    refetchInterval: everyMs,
  });
