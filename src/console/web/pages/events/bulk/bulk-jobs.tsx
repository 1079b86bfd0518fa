import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { answer, api } from '../../../api/client.ts';
import { Badge } from '../../../components/badge.tsx';
import { Moment } from '../../../components/moment.tsx';
import { ProgressBar, progressText, StopButton } from '../../jobs/job-progress.tsx';
import { isRunning, jobsKey, type ListedJob } from '../../jobs/use-job.ts';
import styles from './bulk.module.css';
import { jobNoun } from './bulk-actions.ts';

/** Ended jobs are shown for this long. */
const shownMs = 10 * 60_000;
/** The newest jobs that are read: a slow one still shows, with its *Stop*, after many later ones. */
const limit = 50;

/**
 * The jobs that run, and those that have just ended, with their progress. Those of colleagues, too.
 *
 * @param ofAccount shows only the backfills of this account.
 * @param ofIncident shows only the jobs for the events of this incident, also those that ended earlier.
 */
export function BulkJobs(props: { mayStop: boolean; ofAccount?: string; ofIncident?: string }) {
  const { mayStop, ofAccount, ofIncident } = props;
  const { data } = useQuery({
    queryKey: jobsKey,
    queryFn: ({ signal }) => answer(api.events.bulk.get({ query: { limit }, fetch: { signal } })),
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? 1_000 : 15_000),
  });
  const shown = (data ?? []).filter(
    (job) =>
      (ofAccount === undefined || job.account_id === ofAccount) &&
      (ofIncident === undefined || job.filter?.incident === ofIncident) &&
      (isRunning(job) || ofIncident !== undefined || Date.now() - Date.parse(job.ended_at ?? job.created_at) < shownMs),
  );
  if (shown.length === 0) return null;
  return (
    <ul className="lines" aria-label="Bulk jobs">
      {shown.map((job) => (
        <Job key={job.id} job={job} mayStop={mayStop} />
      ))}
    </ul>
  );
}

function Job({ job, mayStop }: { job: ListedJob; mayStop: boolean }) {
  return (
    <li className={`panel ${styles.job}`}>
      <div className="line">
        <strong>
          <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
            {jobNoun(job)}
          </Link>
        </strong>
        <Badge state={job.state} />
        <span className="aside">
          {progressText(job)}
          {job.reason !== null && `; ${job.reason}`} · <bdi>{job.ordered_by}</bdi> · <Moment iso={job.created_at} ago />
          {job.order_reason !== null && (
            <>
              {' '}
              · <bdi>{job.order_reason}</bdi>
            </>
          )}
        </span>
        {mayStop && <StopButton job={job} />}
      </div>
      <ProgressBar job={job} />
    </li>
  );
}
