import { useRef, useState } from 'react';
import { answer, api } from '../../../api/client.ts';
import type { Filters } from '../../../api/filters.ts';
import type { EventItem } from '../../../api/types.ts';

/** What a search of payloads has found so far. The text is in memory only: it may be somebody's name. */
export interface PayloadSearch {
  text: string;
  events: EventItem[];
  scannedEvents: number;
  scannedBytes: number;
  /** The received time of the oldest event that was read. */
  from: string | null;
  /** Where to continue; null at the beginning and at the end. */
  next: string | null;
  /** Whether everything was read. */
  isEnd: boolean;
  isRunning: boolean;
  error: unknown;
}

/** Searches payloads of the filtered events, newest first, one bounded call at a time. */
export function usePayloadSearch(filters: Filters) {
  const [search, setSearch] = useState<PayloadSearch | null>(null);
  const calls = useRef(new AbortController());
  const run = async (base: PayloadSearch) => {
    calls.current.abort();
    const call = new AbortController();
    calls.current = call;
    setSearch({ ...base, isRunning: true, error: null });
    try {
      const body = { ...filters, text: base.text, limit: 100, ...(base.next === null ? {} : { before: base.next }) };
      const found = await answer(api.events.search.post(body as never, { fetch: { signal: call.signal } }));
      if (call.signal.aborted) return;
      setSearch({
        ...base,
        events: [...base.events, ...found.events],
        scannedEvents: base.scannedEvents + found.scanned.events,
        scannedBytes: base.scannedBytes + found.scanned.bytes,
        from: found.scanned.from ?? base.from,
        next: found.next,
        isEnd: found.next === null,
        isRunning: false,
        error: null,
      });
    } catch (error) {
      if (!call.signal.aborted) setSearch({ ...base, isRunning: false, error });
    }
  };
  return {
    search,
    begin: (text: string) =>
      run({
        text,
        events: [],
        scannedEvents: 0,
        scannedBytes: 0,
        from: null,
        next: null,
        isEnd: false,
        isRunning: true,
        error: null,
      }),
    more: () => search && void run(search),
    stop: () => {
      calls.current.abort();
      if (search) setSearch({ ...search, isRunning: false });
    },
    end: () => {
      calls.current.abort();
      setSearch(null);
    },
  };
}
