import { useEffect, useRef, useState } from 'react';
import type { EventItem } from '../../../api/types.ts';

/** Whether the user has selected text, which a moving list would take away. */
function useTextSelected(): boolean {
  const [isSelected, setSelected] = useState(false);
  useEffect(() => {
    const changed = () => setSelected(getSelection()?.type === 'Range');
    document.addEventListener('selectionchange', changed);
    return () => document.removeEventListener('selectionchange', changed);
  }, []);
  return isSelected;
}

/** Comes after each id. */
const afterAll = '~';

/**
 * Holds a live list still while the user scrolls, or has selected rows or text: rows in place still change, those of later pages are added below them, and
 * others are counted.
 */
export function useHeldRows(rows: EventItem[], isHeldBy: { scrolled: boolean; selected: boolean }) {
  const isTextSelected = useTextSelected();
  const isHeld = isHeldBy.scrolled || isHeldBy.selected || isTextSelected;
  /** The events that have a place in the held list, and the oldest of them. */
  const placed = useRef({ ids: new Set<string>(), oldest: afterAll });
  const wasHeld = useRef(false);
  if (!isHeld || !wasHeld.current) placed.current = { ids: new Set(), oldest: afterAll };
  wasHeld.current = isHeld;
  const { ids, oldest } = placed.current;
  const kept = rows.filter(({ id }) => ids.has(id) || id < oldest);
  for (const { id } of kept) {
    ids.add(id);
    if (id < placed.current.oldest) placed.current.oldest = id;
  }
  // A list that was loaded again may have only newer events.
  const shown = kept.length > 0 ? kept : rows;
  return { shown, isHeld, held: rows.length - shown.length };
}
