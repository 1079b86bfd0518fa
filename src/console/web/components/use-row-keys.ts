import { useShortcuts } from './use-keys.ts';

/** What the keys of a list do with its rows. */
export interface RowKeys {
  /** The next (1) or previous (-1) row. */
  move(by: 1 | -1): void;
  /** `x`: selects the row, or no longer. */
  select?(): void;
  /** `r`: replays the row's event. */
  replay?(): void;
  /** `p`: shows what is known of the row beside the list, or no longer. */
  preview?(): void;
  /** Escape: closes what is beside the list; without it, no row is selected any more. */
  clear?(): void;
}

/** Listens for the keys of a list while the page is open. Enter opens a row by itself, because its link has the focus. */
export function useRowKeys({ move, select, replay, preview, clear }: RowKeys): void {
  useShortcuts((event) => {
    const actions: Record<string, (() => void) | undefined> = {
      ...{ j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1) },
      ...{ x: select, r: replay, p: preview, Escape: clear },
    };
    const act = actions[event.key];
    if (!act) return;
    if (event.key.startsWith('Arrow')) {
      // Arrows belong to the list only while a row has the focus.
      if (document.activeElement?.closest('[data-event]') === null) return;
      event.preventDefault();
    }
    act();
  });
}
