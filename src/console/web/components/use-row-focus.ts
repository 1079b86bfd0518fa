import { type RefObject, useEffect, useRef, useState } from 'react';

/** The id of the element that is the row of a list. */
export const rowId = (id: string) => `row-${id}`;

/**
 * Gives the focus to a new row of a list, and to `add` when the row that had it was deleted.
 *
 * @returns a function that takes the id of the new one, whose row is not there yet.
 */
export function useRowFocus(
  rows: readonly { id: string }[] | undefined,
  add: RefObject<HTMLElement | null>,
): (id: string) => void {
  const [added, setAdded] = useState<string | null>(null);
  const before = useRef(rows);
  useEffect(() => {
    const isFewer = (rows?.length ?? 0) < (before.current?.length ?? 0);
    before.current = rows;
    if (isFewer && document.activeElement === document.body) add.current?.focus();
    if (added === null || !rows?.some(({ id }) => id === added)) return;
    document.getElementById(rowId(added))?.focus();
    setAdded(null);
  }, [added, add, rows]);
  return setAdded;
}
