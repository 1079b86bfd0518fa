import { useCallback, useEffect, useRef, useState } from 'react';
import { followEvents, type StreamMessage } from '../../../api/event-stream.ts';
import type { Filters } from '../../../api/filters.ts';
import type { EventItem } from '../../../api/types.ts';

/** Changes are shown this often, however many there are. */
const batchMs = 250;
/** So many changed events are kept; older ones are found by loading the list again. */
const keptEvents = 500;
/**
 * After this many events that no longer match, the list is loaded again, which forgets them. None is forgotten earlier, because its row would return: a list
 * that is held keeps them all. Ids are small; 5,000 are as many as a stream remembers.
 */
const manyUnmatched = 5_000;

export interface LiveEvents {
  state: 'off' | 'connecting' | 'live' | 'away';
  /** The latest state of events that have changed since the list was loaded, oldest change first. */
  changed: ReadonlyMap<string, EventItem>;
  /** Events that no longer match the filters. */
  unmatched: ReadonlySet<string>;
  /** How many new events were not reported, because there were too many, since the list was loaded. */
  leftOut: number;
  /** How often events or changes were left out, missed or too many to keep, so that the list must be loaded again. */
  gaps: number;
}

const nothing: LiveEvents = { state: 'off', changed: new Map(), unmatched: new Set(), leftOut: 0, gaps: 0 };

/** What the list itself has now, because it was loaded again. */
export type Forget = (seen: LiveEvents) => void;

/**
 * Follows the events of a list. Messages are collected and shown a few times a second, so that a thousand a second cost
 * a few renderings.
 *
 * @param onStarted loads the list again: its rows may have changed before the stream began.
 * @returns also a function that forgets what was known when a loading of the list began.
 */
export function useLiveEvents(filters: Filters, isOn: boolean, onStarted: () => void): [LiveEvents, Forget] {
  const [live, setLive] = useState(nothing);
  const started = useRef(onStarted);
  started.current = onStarted;
  const key = JSON.stringify(filters);
  useEffect(() => {
    if (!isOn) return setLive(nothing);
    setLive({ ...nothing, state: 'connecting' });
    const ending = new AbortController();
    let waiting: StreamMessage[] = [];
    let timer: ReturnType<typeof setTimeout> | null = null;
    let isFirst = true;
    const show = () => {
      timer = null;
      const messages = waiting;
      waiting = [];
      if (isFirst && messages.some(({ kind }) => kind === 'ready')) {
        isFirst = false;
        started.current();
      }
      setLive((before) => applied(before, messages));
    };
    void followEvents(JSON.parse(key), {
      signal: ending.signal,
      onMessage(message) {
        waiting.push(message);
        timer ??= setTimeout(show, batchMs);
      },
    });
    return () => {
      ending.abort();
      if (timer !== null) clearTimeout(timer);
    };
  }, [key, isOn]);
  const forget = useCallback<Forget>((seen) => setLive((before) => without(before, seen)), []);
  return [live, forget];
}

/** Without what is in `seen`; what has changed since then stays. */
function without(before: LiveEvents, seen: LiveEvents): LiveEvents {
  const changed = [...before.changed].filter(([id, event]) => seen.changed.get(id) !== event);
  const unmatched = [...before.unmatched].filter((id) => !seen.unmatched.has(id));
  const leftOut = Math.max(0, before.leftOut - seen.leftOut);
  return { ...before, leftOut, changed: new Map(changed), unmatched: new Set(unmatched) };
}

/** The state after the messages. */
function applied(before: LiveEvents, messages: readonly StreamMessage[]): LiveEvents {
  let { state, leftOut, gaps } = before;
  const changed = new Map(before.changed);
  const unmatched = new Set(before.unmatched);
  for (const message of messages) {
    switch (message.kind) {
      case 'ready':
        // What has changed while the stream was away is not reported any more. What is kept of before may be out of date.
        if (!message.resumed && state !== 'connecting') gaps += 1;
        state = 'live';
        break;
      case 'reset':
        gaps += 1;
        break;
      case 'away':
        state = 'away';
        break;
      case 'event':
        // Again at the end, so that the oldest changes are the first.
        changed.delete(message.event.id);
        changed.set(message.event.id, message.event);
        unmatched.delete(message.event.id);
        break;
      case 'unmatched':
        changed.delete(message.id);
        unmatched.add(message.id);
        break;
      case 'left_out':
        leftOut += message.events;
        gaps += 1;
        break;
    }
  }
  if (changed.size > keptEvents || unmatched.size > manyUnmatched) gaps += 1;
  for (const id of changed.keys()) {
    if (changed.size <= keptEvents) break;
    changed.delete(id);
  }
  return { state, changed, unmatched, leftOut, gaps };
}
