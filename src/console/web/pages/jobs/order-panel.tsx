import { Link } from '@tanstack/react-router';
import type { Filters } from '../../api/filters.ts';
import type { BulkJob } from '../../api/types.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Moment } from '../../components/moment.tsx';
import { counted, numberText } from '../../components/number-text.ts';
import { Facts, Panel } from '../../components/page.tsx';
import { jobNoun } from '../events/bulk/bulk-actions.ts';
import { filterLabels } from '../events/filters/filter-names.ts';
import styles from './jobs.module.css';

/** Who ordered a job, what and why. */
export function OrderPanel({ job }: { job: BulkJob }) {
  const { account_id: accountId } = job;
  return (
    <Panel title="Order">
      <div className="stack">
        <Facts
          rows={{
            'Ordered by': <bdi>{job.ordered_by}</bdi>,
            Ordered: <Moment iso={job.created_at} />,
            Reason: job.order_reason && <bdi>{job.order_reason}</bdi>,
            What: jobNoun(job),
            Events: <Selection job={job} />,
            Account: accountId && (
              <Link to="/accounts/$accountId" params={{ accountId }}>
                To its page
              </Link>
            ),
            Condition: job.condition && <code>{job.condition}</code>,
            Pace: job.per_second === null ? 'all at once' : `at most ${numberText(job.per_second)} a second`,
            Began: job.started_at && <Moment iso={job.started_at} />,
            Ended: job.ended_at && <Moment iso={job.ended_at} />,
            'Job id': (
              <span className="line">
                <code>{job.id}</code>
                <CopyButton text={job.id} name="job id" />
              </span>
            ),
          }}
        />
        {job.event_ids && <GivenIds ids={job.event_ids} />}
      </div>
    </Panel>
  );
}

/** The filters in words. */
const nameOf: Readonly<Record<string, string>> = { ...filterLabels, since: 'Since', until: 'Until' };

/** Which events a job was ordered for. */
function Selection({ job: { action, filter, ids } }: { job: BulkJob }) {
  if (filter === null) return counted(ids ?? 0, 'given event');
  const texts = Object.entries(filter).map(([name, value]) => (
    <span key={name}>
      {nameOf[name] ?? name}: <bdi>{value}</bdi>
    </span>
  ));
  const list = <span className="line">{texts}</span>;
  if (action === 'backfill') return list;
  return (
    <>
      {list}
      <Link to="/events" search={filter as Filters}>
        The events that match now
      </Link>
    </>
  );
}

function GivenIds({ ids }: { ids: readonly string[] }) {
  return (
    <details>
      <summary>{counted(ids.length, 'given id')}</summary>
      <ul className={styles.ids}>
        {ids.map((id) => (
          <li key={id}>
            <Link to="/events/$eventId" params={{ eventId: id }}>
              <code>{id}</code>
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}
