import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';
import type { Account } from '../../../api/types.ts';

/** The workers write the counts every five seconds. */
const everyMs = 15_000;

/** How a consumer fares at present: its attempts of this hour, or of the one before while there are none. */
export const useConsumerHour = (accountId: string, consumer: string) =>
  useQuery({
    queryKey: ['consumer-hour', accountId, consumer],
    queryFn: async ({ signal }) => {
      const query = { hours: 2, consumer };
      const { points } = await answer(
        api.accounts({ account_id: accountId }).consumer.get({ query, fetch: { signal } }),
      );
      return points.findLast(({ attempts }) => attempts > 0) ?? null;
    },
    refetchInterval: everyMs,
  });

/** The newest webhook that a consumer has accepted, or null. */
export const useLastDelivered = ({ id, provider, account_slug }: Account, consumer: string) =>
  useQuery({
    queryKey: ['consumer-delivered', id, consumer],
    queryFn: async ({ signal }) => {
      const query = { provider, account_slug, consumer, delivery_status: 'delivered' as const, limit: 1 };
      const [newest] = await answer(api.events.get({ query, fetch: { signal } }));
      return newest ?? null;
    },
    refetchInterval: everyMs,
  });
