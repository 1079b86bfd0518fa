import { Button } from '../../components/button.tsx';
import { Moment } from '../../components/moment.tsx';
import { Empty, ProblemNotice } from '../../components/notice.tsx';
import { numberText } from '../../components/number-text.ts';
import styles from './audit.module.css';
import type { AuditFilters } from './audit-types.ts';
import { EntryRow } from './entry-row.tsx';
import { useAccountNames } from './use-account-names.ts';
import { leavesOutReads, useAuditLog } from './use-audit-log.ts';

/** The entries that match, newest first. */
export function EntryList({ filters }: { filters: AuditFilters }) {
  const log = useAuditLog(filters);
  const names = useAccountNames();
  if (log.error && !log.data) return <ProblemNotice error={log.error} retry={() => void log.refetch()} />;
  if (!log.data) return <p className="aside">Loading …</p>;
  const isBusy = log.isFetchingNextPage || log.looksFurther;
  return (
    <>
      {log.entries.length === 0 && !isBusy && <NoEntries filters={filters} isEnd={!log.hasNextPage} />}
      <ol>
        {log.entries.map((entry) => (
          <EntryRow key={entry.id} entry={entry} names={names} />
        ))}
      </ol>
      <div className={`spread ${styles.foot}`}>
        {leavesOutReads(filters) && log.hasNextPage && (
          <span className="aside" role="status">
            Looked through {numberText(log.looked)} entries, back to <Moment iso={log.oldest} />.
          </span>
        )}
        {log.hasNextPage && (
          <Button blocked={isBusy} onClick={() => void log.fetchNextPage()}>
            {isBusy ? 'Loading …' : leavesOutReads(filters) ? 'Look further' : 'Show older entries'}
          </Button>
        )}
        {!log.hasNextPage && log.entries.length > 0 && <span className="aside">There are no older entries.</span>}
      </div>
    </>
  );
}

function NoEntries({ filters, isEnd }: { filters: AuditFilters; isEnd: boolean }) {
  return (
    <Empty title={isEnd ? 'No entry matches' : 'No change found yet'}>
      <p>
        {leavesOutReads(filters)
          ? 'Calls that only read, and wrong tokens, are left out; choose all calls to see them.'
          : 'Clear some of the filters, or choose another time.'}
      </p>
    </Empty>
  );
}
