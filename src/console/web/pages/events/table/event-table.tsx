// biome-ignore-all lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table
// biome-ignore-all lint/a11y/useSemanticElements: rows of a virtual list are positioned, which elements of tables are not
// biome-ignore-all lint/a11y/useFocusableInteractive: the link in a row has the focus
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import type { EventItem } from '../../../api/types.ts';
import { useRowKeys } from '../../../components/use-row-keys.ts';
import { EventRow } from './event-row.tsx';
import styles from './table.module.css';
import { answerKey, useLastAnswers } from './use-last-answers.ts';
import { useNarrow } from './use-narrow.ts';

/** Rows that are loaded before the user reaches the end. */
const aheadRows = 30;

/** The columns by their classes. */
const columns = [
  ['time', 'Received'],
  ['state', 'State'],
  ['code', 'Code'],
  ['type', 'Event'],
  ['account', 'Account'],
  ['answer', 'Answer'],
  ['next', 'Next'],
] as const;

export interface EventTableProps {
  label: string;
  rows: readonly EventItem[];
  selected: ReadonlySet<string>;
  /** Whether rows can be selected and replayed. */
  canSelect: boolean;
  onSelect(id: string): void;
  onSelectLoaded(): void;
  onClearSelection(): void;
  onReplay(event: EventItem): void;
  /** Whether `onMore` finds older events at the moment. */
  canLoadMore: boolean;
  /** Called when the end of the rows is near and older ones can be loaded. */
  onMore(): void;
  /** Called when the user scrolls away from the top, or back. */
  onScrolled(isAway: boolean): void;
  /** Shows why webhooks were rejected in place of the answers of consumers. */
  showsReasons?: boolean;
  /** The event whose answer is shown beside the list; null: none is. */
  previewed?: string | null;
  /** Shows the answer to an event beside the list, or none. Absent: the list has nothing beside it. */
  onPreview?(id: string | null): void;
}

/** A list of events of which only the rows in sight are in the document. `j`, `k`, `p`, `x` and `r` work on its rows. */
export function EventTable(props: EventTableProps) {
  const { label, rows, selected, canSelect, onSelect, onSelectLoaded, onScrolled, showsReasons = false } = props;
  const { canLoadMore, onMore, previewed = null, onPreview } = props;
  const box = useRef<HTMLDivElement>(null);
  /** The row that gets the focus as soon as it is rendered. */
  const next = useRef<string | null>(null);
  const isNarrow = useNarrow();
  const [current, setCurrent] = useState<string | null>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => (isNarrow ? (hasAnswer(rows[index], showsReasons) ? 86 : 62) : 31),
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 12,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height of rows has changed
  useEffect(() => virtual.measure(), [isNarrow]);
  const items = virtual.getVirtualItems();
  const answers = useLastAnswers(showsReasons ? [] : items.flatMap(({ index }) => rows[index] ?? []));
  const isNearEnd = rows.length > 0 && (items.at(-1)?.index ?? 0) >= rows.length - aheadRows;
  // A call that was given up, because the list was read again, leaves the rows as they are: `canLoadMore` changes then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for the same rows
  useEffect(() => {
    if (isNearEnd && canLoadMore) onMore();
  }, [isNearEnd, canLoadMore, rows.length]);
  const focused = () =>
    rows.findIndex(({ id }) => id === (next.current ?? focusedId(box.current) ?? previewed ?? current));
  useRowKeys({
    move(by) {
      const target = Math.max(0, Math.min(rows.length - 1, focused() + by));
      const id = rows[target]?.id;
      if (id === undefined) return;
      setCurrent(id);
      next.current = id;
      if (previewed !== null) onPreview?.(id);
      virtual.scrollToIndex(target);
      // The row may have to be rendered first.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          if (next.current !== id) return;
          next.current = null;
          box.current?.querySelector<HTMLElement>(`[data-row="${id}"]`)?.focus();
        }),
      );
    },
    select() {
      const id = rows[focused()]?.id;
      if (canSelect && id !== undefined) onSelect(id);
    },
    replay() {
      const event = rows[focused()];
      if (canSelect && event) props.onReplay(event);
    },
    preview() {
      const id = rows[Math.max(0, focused())]?.id;
      if (id !== undefined) onPreview?.(id === previewed ? null : id);
    },
    clear() {
      if (previewed === null) props.onClearSelection();
      else onPreview?.(null);
    },
  });
  const isAll = rows.length > 0 && rows.every(({ id }) => selected.has(id));
  return (
    <div
      ref={box}
      role="table"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      className={styles.table}
      data-select={canSelect}
      data-reasons={showsReasons}
      onScroll={({ currentTarget }) => onScrolled(currentTarget.scrollTop > 0)}
    >
      <div role="rowgroup" className={styles.head}>
        <div role="row" aria-rowindex={1} className={styles.headRow}>
          <span role="columnheader" className={styles.check}>
            <span className="visually-hidden">Selection</span>
            {canSelect && (
              <input
                type="checkbox"
                checked={isAll}
                aria-label="Select all loaded events"
                onChange={isAll ? props.onClearSelection : onSelectLoaded}
              />
            )}
          </span>
          {columns.map(([name, heading]) => (
            <span key={name} role="columnheader" className={styles[name]}>
              {name === 'answer' && showsReasons ? 'Reason' : heading}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className={styles.rows} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const event = rows[index];
          return (
            event && (
              <EventRow
                key={event.id}
                event={event}
                index={index}
                top={start}
                isSelected={selected.has(event.id)}
                canSelect={canSelect}
                answer={
                  showsReasons
                    ? (event.rejection_explanation ?? event.rejection_reason)
                    : event.last_error && (answers.get(answerKey(event)) ?? event.last_error)
                }
                isPreviewed={event.id === previewed}
                onPreview={onPreview}
                onSelect={onSelect}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

/** The event of the row that has the focus. */
function focusedId(box: HTMLElement | null): string | null {
  const row = document.activeElement?.closest<HTMLElement>('[data-event]');
  return row && box?.contains(row) ? (row.dataset.event ?? null) : null;
}

/** Whether a row has a text in its last column, which is a line of its own in a narrow window. */
const hasAnswer = (event: EventItem | undefined, showsReasons: boolean) =>
  event !== undefined && (showsReasons ? event.rejection_reason : event.last_error) !== null;
