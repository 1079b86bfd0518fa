import { useEffect, useRef, useState } from 'react';
import { answer, api } from '../../../api/client.ts';
import type { EventItem } from '../../../api/types.ts';

/** Rows pass while the user scrolls; only those that stay are asked for. */
const settledMs = 150;
/** After a call that failed. */
const retryMs = 5_000;
/** Of one call. */
const mostIds = 100;
/** Kept lines, which are about 200 characters each. A list that stays open for days does not grow; older ones are read again. */
const mostKnown = 2_000;

/** An event has another answer after each attempt. */
export const answerKey = ({ id, generation, attempts }: EventItem) => `${id} ${generation} ${attempts}`;

const idOf = (key: string) => key.split(' ')[0] ?? '';

/** The first lines of the last answers to the events in sight that have failed, by `answerKey`; null: there is no body. */
export function useLastAnswers(inSight: readonly EventItem[]): ReadonlyMap<string, string | null> {
  const [known, setKnown] = useState<ReadonlyMap<string, string | null>>(new Map());
  const [failures, setFailures] = useState(0);
  /** Keys of calls in progress. A live list changes faster than a slow database answers, so that no call is ended. */
  const asked = useRef(new Set<string>());
  const wanted = inSight
    .filter(({ last_error, attempts }) => last_error !== null && attempts > 0)
    .map(answerKey)
    .filter((key) => !known.has(key) && !asked.current.has(key));
  const keys = wanted.slice(0, mostIds).join();
  useEffect(() => {
    if (keys === '') return;
    const timer = setTimeout(
      async () => {
        const given = keys.split(',');
        for (const key of given) asked.current.add(key);
        const query = { ids: given.map(idOf).join() as never };
        const answers = await answer(api.events.answers.get({ query })).catch(() => null);
        for (const key of given) asked.current.delete(key);
        // Until then, the rows show their errors.
        if (answers === null) return setFailures((before) => before + 1);
        setFailures(0);
        const lines = new Map(answers.map(({ id, line }) => [id, line]));
        const read = given.map((key) => [key, lines.get(idOf(key)) ?? null] as const);
        setKnown((before) => new Map([...before, ...read].slice(-mostKnown)));
      },
      failures === 0 ? settledMs : retryMs,
    );
    return () => clearTimeout(timer);
  }, [keys, failures]);
  return known;
}
