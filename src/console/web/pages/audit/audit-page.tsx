import { useState } from 'react';
import { useMay } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { Moment } from '../../components/moment.tsx';
import { numberText } from '../../components/number-text.ts';
import { Page, Panel } from '../../components/page.tsx';
import { useFilters } from '../../components/use-filters.ts';
import { type AuditFilters, auditFilterNames } from './audit-types.ts';
import { EntryList } from './entry-list.tsx';
import { FilterBar } from './filter-bar.tsx';
import { PurgeButton } from './purge-button.tsx';
import { useAuditStatistics } from './use-audit-log.ts';
import { VerifyPanel } from './verify-panel.tsx';

/** Who did what by the admin API. */
export function AuditPage() {
  const [filters, change] = useFilters();
  const { data: statistics } = useAuditStatistics();
  const [isVerifying, setIsVerifying] = useState(false);
  const mayAdmin = useMay('admin');
  const aside = statistics && statistics.oldest !== null && (
    <span className="aside">
      {numberText(statistics.total)} {statistics.total === 1 ? 'entry' : 'entries'} since{' '}
      <Moment iso={statistics.oldest} />
    </span>
  );
  return (
    <Page
      title="Audit log"
      aside={aside}
      actions={
        <>
          <Button aria-expanded={isVerifying} onClick={() => setIsVerifying(!isVerifying)}>
            Verify the log
          </Button>
          {mayAdmin && <PurgeButton statistics={statistics} />}
        </>
      }
    >
      {isVerifying && <VerifyPanel />}
      <Panel>
        <FilterBar filters={known(filters)} statistics={statistics} onChange={change} />
        <EntryList filters={known(filters)} />
      </Panel>
    </Page>
  );
}

/** The filters that this page knows; others in the address are ignored. */
const known = (filters: AuditFilters): AuditFilters =>
  Object.fromEntries(auditFilterNames.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]])));
