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

/** Checks a condition while it is written. An older check is aborted; its result stays until the next one is there. */
export function useConditionPreview(accountId: string, text: string) {
  const settled = useSettled(text);
  // Without a condition, events match whose attempts have failed.
  const condition = settled.trim() === '' ? 'delivery_failed' : settled;
  const query = useQuery({
    queryKey: ['condition-preview', accountId, condition],
    queryFn: ({ signal }) =>
      answer(api.conditions.preview.post({ condition, account_id: accountId }, { fetch: { signal } })),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    gcTime: 60_000,
  });
  return { ...query, isSettled: settled === text && !query.isPlaceholderData };
}
