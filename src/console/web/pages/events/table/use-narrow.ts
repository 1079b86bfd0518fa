import { useSyncExternalStore } from 'react';

/** As in table.module.css: below this width, rows have two lines. */
const narrow = matchMedia('(max-width: 760px)');

function subscribe(changed: () => void): () => void {
  narrow.addEventListener('change', changed);
  return () => narrow.removeEventListener('change', changed);
}

/** Whether rows have two lines. */
export const useNarrow = () => useSyncExternalStore(subscribe, () => narrow.matches);
