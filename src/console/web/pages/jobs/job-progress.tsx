import { Button } from '../../components/button.tsx';
import { counted, numberText } from '../../components/number-text.ts';
import { passFocusOn } from '../../components/pass-focus-on.ts';
import { jobNoun, skipTexts } from '../events/bulk/bulk-actions.ts';
import { isRunning, type ListedJob, useStopJob } from './use-job.ts';

/** How many events a job has left out. */
export const leftOut = ({ skipped }: Pick<ListedJob, 'skipped'>) =>
  Object.values(skipped).reduce((sum, n) => sum + n, 0);

/** The pace of a job in words; null if it has none. */
const paceText = ({ per_second }: Pick<ListedJob, 'per_second'>) =>
  per_second === null ? null : `at most ${numberText(per_second)} a second`;

/** How far a job is, in words. */
export function progressText(job: ListedJob): string {
  const skipped = leftOut(job);
  return [
    `${numberText(job.done)} of ${job.total === null ? '…' : numberText(job.total)} done`,
    ...(skipped > 0 ? [`${numberText(skipped)} left out (${reasons(job.skipped)})`] : []),
    ...(job.failed > 0 ? [`${numberText(job.failed)} failed`] : []),
    ...(isRunning(job) && paceText(job) !== null ? [`${paceText(job)}`] : []),
  ].join(', ');
}

/** The progress of a job that runs, as a bar. */
export function ProgressBar({ job }: { job: ListedJob }) {
  if (!isRunning(job)) return null;
  return (
    <progress
      aria-label={`${jobNoun(job)} ordered by ${job.ordered_by}`}
      max={job.total ?? undefined}
      value={job.total === null ? undefined : job.matched}
    />
  );
}

/** The button that stops a job; nothing if it does not run. */
export function StopButton({ job }: { job: ListedJob }) {
  const stop = useStopJob(job.id);
  if (job.state !== 'running') return null;
  return (
    <Button ref={passFocusOn} blocked={stop.isPending} onClick={() => stop.mutate()}>
      Stop
    </Button>
  );
}

const reasons = (skipped: Record<string, number>) =>
  Object.entries(skipped)
    .filter(([, n]) => n > 0)
    .map(([reason, n]) => `${numberText(n)} ${reason.replaceAll('_', ' ')}`)
    .join(', ');

/** The events that a job has left out, by the reason. */
export function SkippedEvents({ skipped }: { skipped: Record<string, number> }) {
  return (
    <ul className="lines">
      {Object.entries(skipped).map(([reason, n]) => (
        <li key={reason}>
          <strong>{counted(n, 'event')}</strong> {skipTexts[reason] ?? reason.replaceAll('_', ' ')}
        </li>
      ))}
    </ul>
  );
}
