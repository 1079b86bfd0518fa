import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';
import type { BulkJob } from '../../../api/types.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { Moment } from '../../../components/moment.tsx';
import { numberText } from '../../../components/number-text.ts';
import { useAction } from '../../../components/use-action.ts';
import styles from './bulk.module.css';
import { jobNoun } from './bulk-actions.ts';

export const jobsKey = ['bulk-jobs'];

/** Ended jobs are shown for this long. */
const shownMs = 10 * 60_000;

type ListedJob = Omit<BulkJob, 'event_ids'>;
const isRunning = ({ state }: ListedJob) => state === 'running' || state === 'stopping';

/**
 * The jobs that run, and those that have just ended, with their progress. Those of colleagues, too.
 *
 * @param ofAccount shows only the backfills of this account.
 */
export function BulkJobs({ mayStop, ofAccount }: { mayStop: boolean; ofAccount?: string }) {
  const { data } = useQuery({
    queryKey: jobsKey,
    queryFn: ({ signal }) => answer(api.events.bulk.get({ query: { limit: 10 }, fetch: { signal } })),
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? 1_000 : 15_000),
  });
  const shown = (data ?? []).filter(
    (job) =>
      (ofAccount === undefined || job.account_id === ofAccount) &&
      (isRunning(job) || Date.now() - Date.parse(job.ended_at ?? job.created_at) < shownMs),
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
  const stop = useAction({
    call: () => answer(api.events.bulk({ job_id: job.id }).stop.post()),
    done: () => 'The job stops after the events that it works on.',
    changes: jobsKey,
  });
  const skipped = Object.values(job.skipped).reduce((sum, n) => sum + n, 0);
  const label = `${jobNoun(job)} ordered by ${job.ordered_by}`;
  return (
    <li className={`panel ${styles.job}`}>
      <div className="line">
        <strong>{jobNoun(job)}</strong>
        <Badge state={job.state} />
        <span className="aside">
          {numberText(job.done)} of {job.total === null ? '…' : numberText(job.total)} done
          {skipped > 0 && `, ${numberText(skipped)} left out (${reasons(job.skipped)})`}
          {job.failed > 0 && `, ${numberText(job.failed)} failed`}
          {job.reason !== null && `; ${job.reason}`} · <bdi>{job.ordered_by}</bdi> · <Moment iso={job.created_at} ago />
        </span>
        {mayStop && job.state === 'running' && (
          <Button disabled={stop.isPending} onClick={() => stop.mutate()}>
            Stop
          </Button>
        )}
      </div>
      {isRunning(job) && (
        <progress
          aria-label={label}
          max={job.total ?? undefined}
          value={job.total === null ? undefined : job.matched}
        />
      )}
    </li>
  );
}

const reasons = (skipped: Record<string, number>) =>
  Object.entries(skipped)
    .filter(([, n]) => n > 0)
    .map(([reason, n]) => `${numberText(n)} ${reason.replaceAll('_', ' ')}`)
    .join(', ');
