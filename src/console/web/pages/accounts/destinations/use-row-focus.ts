import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Destination } from './destination-types.ts';

/**
 * Gives the focus to the row of a new destination, and to `add` when the row that had it was deleted.
 *
 * @returns a function that takes the id of the new destination, whose row is not there yet.
 */
export function useRowFocus(
  destinations: readonly Destination[] | undefined,
  add: RefObject<HTMLElement | null>,
): (id: string) => void {
  const [added, setAdded] = useState<string | null>(null);
  const before = useRef(destinations);
  useEffect(() => {
    const isFewer = (destinations?.length ?? 0) < (before.current?.length ?? 0);
    before.current = destinations;
    if (isFewer && document.activeElement === document.body) add.current?.focus();
    if (added === null || !destinations?.some(({ id }) => id === added)) return;
    document.getElementById(`destination-${added}`)?.focus();
    setAdded(null);
  }, [added, add, destinations]);
  return setAdded;
}
