import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useStats } from '../../api/stats.ts';
import { Button } from '../../components/button.tsx';
import { Empty, Notice } from '../../components/notice.tsx';
import { counted, numberText } from '../../components/number-text.ts';
import { Page } from '../../components/page.tsx';
import { FilterBar } from '../events/filters/filter-bar.tsx';
import { useListFilters } from '../events/filters/use-list-filters.ts';
import { ListProblem } from '../events/list-problem.tsx';
import { useGapReload } from '../events/live/use-gap-reload.ts';
import { useLiveEvents } from '../events/live/use-live-events.ts';
import { EventTable } from '../events/table/event-table.tsx';
import { canLoadMore, isFollowed, mergedRows, useEventList, useReloadedList } from '../events/use-event-list.ts';
import { CountsByReason } from './counts-by-reason.tsx';

/** Webhooks that failed verification: why, and what to do about it. */
export function RejectedPage() {
  const { filters, change, clear } = useListFilters();
  const rejected = useMemo(() => ({ ...filters, status: 'rejected' }), [filters]);
  const list = useEventList(rejected);
  const [live, forget] = useLiveEvents(rejected, isFollowed(filters), () => void list.refetch());
  const loaded = useMemo(() => list.data?.pages.flatMap(({ events }) => events) ?? [], [list.data]);
  const rows = useMemo(() => mergedRows(loaded, live, list.hasNextPage), [loaded, live, list.hasNextPage]);
  const [isScrolled, setScrolled] = useState(false);
  useGapReload({ live, forget, isHeld: isScrolled, reload: useReloadedList(rejected) });
  const [none] = useState<ReadonlySet<string>>(new Set());
  const nothing = () => undefined;
  return (
    <Page title="Rejected webhooks">
      <FilterBar
        names={['provider', 'account_slug', 'account_id', 'app_key', 'incident']}
        filters={filters}
        onChange={change}
        onClear={clear}
      />
      <NotKept />
      <ListProblem list={list} />
      <CountsByReason filters={filters} newest={rows[0]?.id ?? null} />
      {list.isSuccess && rows.length === 0 && (
        <Empty title="No rejected webhook.">
          <p>
            Webhooks whose signature is missing or wrong appear here with the reason. They are not delivered, and can be
            checked again once the secret is corrected. <Link to="/providers">How each provider signs</Link>
          </p>
          {Object.keys(filters).length > 0 && <Button onClick={clear}>Clear filters</Button>}
        </Empty>
      )}
      <div aria-busy={list.isPending} hidden={rows.length === 0}>
        <EventTable
          label="Rejected webhooks"
          showsReasons
          rows={rows}
          selected={none}
          canSelect={false}
          onSelect={nothing}
          onSelectLoaded={nothing}
          onClearSelection={nothing}
          onReplay={nothing}
          onScrolled={setScrolled}
          canLoadMore={canLoadMore(list)}
          onMore={() => void list.fetchNextPage()}
        />
      </div>
    </Page>
  );
}

/** Says that not all rejected webhooks of today are in the list. */
function NotKept() {
  const today = useStats().data?.rejected_today;
  if (!today || today.received <= today.kept) return null;
  return (
    <Notice tone="open">
      {counted(today.received, 'webhook')} rejected today, of which {numberText(today.kept)} are kept: the daily limit
      of rejected webhooks is reached. Who knows an address can send to it, so most of them may be from strangers.
    </Notice>
  );
}
