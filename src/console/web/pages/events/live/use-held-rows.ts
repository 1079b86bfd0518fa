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

/**
 * Holds a live list still while the user scrolls, or has selected rows or text: rows in place still change, and new ones
 * are counted.
 */
export function useHeldRows(rows: EventItem[], isHeldBy: { scrolled: boolean; selected: boolean }) {
  const isTextSelected = useTextSelected();
  const isHeld = isHeldBy.scrolled || isHeldBy.selected || isTextSelected;
  /** The newest event at the time when the list was held. */
  const newest = useRef('');
  const wasHeld = useRef(false);
  if (!isHeld || !wasHeld.current) newest.current = rows[0]?.id ?? '';
  wasHeld.current = isHeld;
  const kept = isHeld && newest.current !== '' ? rows.filter(({ id }) => id <= newest.current) : rows;
  // A list that was loaded again may have only newer events.
  const shown = kept.length > 0 ? kept : rows;
  return { shown, isHeld, held: rows.length - shown.length };
}
