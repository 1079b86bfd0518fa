import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { answer, api } from '../../api/client.ts';

/** A pause in writing after which a condition is checked: shorter than a thought, longer than between two letters. */
const pauseMs = 250;

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** What a condition is of. That of a destination is tried on events, that of a consumer on webhooks. */
export type Owner = 'destination' | 'consumer';

/** What an empty condition amounts to: events whose attempts have failed, or all webhooks. */
const whenEmpty: Record<Owner, string> = { destination: 'delivery_failed', consumer: 'provider != ""' };

/** Checks a condition while it is written. An older check is aborted; its result stays until the next one is there. */
export function useConditionPreview(accountId: string, text: string, of: Owner) {
  const settled = useSettled(text);
  const condition = settled.trim() === '' ? whenEmpty[of] : settled;
  const query = useQuery({
    queryKey: ['condition-preview', accountId, of, condition],
    queryFn: ({ signal }) =>
      answer(api.conditions.preview.post({ condition, account_id: accountId, of }, { fetch: { signal } })),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    gcTime: 60_000,
  });
  return { ...query, isSettled: settled === text && !query.isPlaceholderData };
}
