import { Link } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useMay } from '../../api/session.ts';
import type { EventItem } from '../../api/types.ts';
import { announce } from '../../components/announce.ts';
import { Button, buttonClass } from '../../components/button.tsx';
import { Empty } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { BulkJobs } from './bulk/bulk-jobs.tsx';
import { FilterBar } from './filters/filter-bar.tsx';
import { type FilterName, filterLabels } from './filters/filter-names.ts';
import { useListFilters } from './filters/use-list-filters.ts';
import { ListProblem } from './list-problem.tsx';
import { LiveStatus } from './live/live-status.tsx';
import { useGapReload } from './live/use-gap-reload.ts';
import { useHeldRows } from './live/use-held-rows.ts';
import { useLiveEvents } from './live/use-live-events.ts';
import styles from './preview/preview.module.css';
import { Preview } from './preview/preview.tsx';
import { ReplayOne } from './replay-one.tsx';
import { SearchBox } from './search/search-box.tsx';
import { SearchStatus } from './search/search-status.tsx';
import { usePayloadSearch } from './search/use-payload-search.ts';
import { Summary } from './summary/summary.tsx';
import { EventTable } from './table/event-table.tsx';
import { canFollow, canLoadMore, isFollowed, mergedRows, useEventList, useReloadedList } from './use-event-list.ts';

const names = Object.keys(filterLabels) as FilterName[];

/** The list of events: live, filtered by its address, and with jobs for many events at once. */
export function EventsPage() {
  const { filters, change, clear } = useListFilters();
  // Another address is another list: nothing of this one's selection or search belongs to it.
  return <EventList key={JSON.stringify(filters)} {...{ filters, change, clear }} />;
}

function EventList({ filters, change, clear }: ReturnType<typeof useListFilters>) {
  const mayOperate = useMay('operate');
  const list = useEventList(filters);
  const search = usePayloadSearch(filters);
  const [isOn, setOn] = useState(isFollowed(filters));
  const [isScrolled, setScrolled] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setAll] = useState(false);
  const [replayed, setReplayed] = useState<EventItem | null>(null);
  const [previewed, setPreviewed] = useState<string | null>(null);
  const table = useRef<HTMLDivElement>(null);
  const [live, forget] = useLiveEvents(filters, isOn && search.search === null, () => void list.refetch());
  const loaded = useMemo(() => list.data?.pages.flatMap(({ events }) => events) ?? [], [list.data]);
  const rows = useMemo(() => mergedRows(loaded, live, list.hasNextPage), [loaded, live, list.hasNextPage]);
  // A selected row may have left the list: what is not in sight is not acted on.
  const chosen = (search.search?.events ?? rows).flatMap(({ id }) => (selected.has(id) ? [id] : []));
  const hasScope = isAll || chosen.length > 0;
  const { shown, isHeld, held } = useHeldRows(rows, { scrolled: isScrolled, selected: hasScope });
  const isIncomplete = useGapReload({ live, forget, isHeld, reload: useReloadedList(filters) });
  const clearSelection = () => {
    setSelected(new Set());
    setAll(false);
  };
  const toggle = useRef((id: string) => {
    // Who selects single events means these, and not all that the filters find.
    setAll(false);
    setSelected((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  }).current;
  // The list shows other events then.
  const endSearch = () => {
    clearSelection();
    search.end();
  };
  const preview = useCallback((id: string | null) => {
    // The focus may be in the answer that closes.
    if (id === null) table.current?.querySelector<HTMLElement>('[data-previewed="true"] [data-row]')?.focus();
    setPreviewed(id);
  }, []);
  const scrollToTop = () => table.current?.querySelector('[role="table"]')?.scrollTo({ top: 0 });
  const visible = search.search?.events ?? shown;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title="Events"
      actions={
        <SearchBox
          onExternalId={(external_id) => change({ external_id })}
          onPayloads={(text) => {
            clearSelection();
            void search.begin(text);
          }}
        />
      }
    >
      <FilterBar names={names} filters={filters} onChange={change} onClear={clear} />
      <Summary filters={filters} onChange={change} />
      <BulkJobs mayStop={mayOperate} />
      {search.search && (
        <SearchStatus search={search.search} onMore={search.more} onStop={search.stop} onEnd={endSearch} />
      )}
      {!search.search && canFollow(filters) && (
        <LiveStatus
          {...{ live, isOn, held, isHeld, isIncomplete }}
          onToggle={() => setOn(!isOn)}
          onShow={() => {
            clearSelection();
            getSelection()?.removeAllRanges();
            scrollToTop();
          }}
        />
      )}
      {mayOperate && selected.size > 0 && (
        <>
          <BulkBar scope={isAll ? { filters } : { ids: chosen }} onOrdered={clearSelection} onClear={clearSelection} />
          {/* The API takes no order for all events of all time. */}
          {!search.search && isFiltered && hasScope && (
            <p>
              <Button tone="quiet" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
                {isAll ? 'Only the selected events' : 'Select everything that the filters find'}
              </Button>
            </p>
          )}
        </>
      )}
      <ListProblem list={list} />
      {list.isSuccess && visible.length === 0 && !search.search?.isRunning && (
        <NoEvents isFiltered={isFiltered} isSearch={search.search !== null} onClear={clear} />
      )}
      <div className={styles.withAnswer} data-open={previewed !== null} hidden={visible.length === 0}>
        <div ref={table} aria-busy={list.isPending || (isIncomplete && !isHeld)}>
          <EventTable
            label="Events"
            rows={visible}
            selected={selected}
            canSelect={mayOperate}
            onSelect={toggle}
            onSelectLoaded={() => {
              setAll(false);
              setSelected(new Set(visible.map(({ id }) => id)));
            }}
            onClearSelection={clearSelection}
            onReplay={(event) =>
              event.skipped_reason === null ? setReplayed(event) : announce('No consumer gets this webhook.')
            }
            previewed={previewed}
            onPreview={preview}
            onScrolled={setScrolled}
            canLoadMore={!search.search && canLoadMore(list)}
            onMore={() => void list.fetchNextPage()}
          />
        </div>
        {previewed !== null && (
          <Preview eventId={previewed} row={visible.find(({ id }) => id === previewed)} onClose={() => preview(null)} />
        )}
      </div>
      <ReplayOne event={replayed} onClose={() => setReplayed(null)} />
    </Page>
  );
}

function NoEvents({ isFiltered, isSearch, onClear }: { isFiltered: boolean; isSearch: boolean; onClear(): void }) {
  const mayCreate = useMay('admin');
  if (isSearch)
    return (
      <Empty title="No payload contains this text, as far as it was searched.">
        <p>Search on above the list, or search for another text.</p>
        {isFiltered && <Button onClick={onClear}>Clear filters</Button>}
      </Empty>
    );
  if (isFiltered)
    return (
      <Empty title="No event matches these filters.">
        <Button onClick={onClear}>Clear filters</Button>
      </Empty>
    );
  return (
    <Empty title="No webhook has come in yet.">
      <p>Each one appears here as soon as a provider sends it to the address of an account.</p>
      {mayCreate ? (
        <Link to="/accounts" search={{ new: 'generic' }} className={buttonClass('main')}>
          Create an account
        </Link>
      ) : (
        <Link to="/accounts">Accounts and their addresses</Link>
      )}
    </Empty>
  );
}
