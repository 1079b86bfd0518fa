import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { useMay } from '../../api/session.ts';
import type { BulkJob } from '../../api/types.ts';
import { announce } from '../../components/announce.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Empty, Notice, ProblemNotice } from '../../components/notice.tsx';
import { counted } from '../../components/number-text.ts';
import { Page, Panel } from '../../components/page.tsx';
import { jobNoun } from '../events/bulk/bulk-actions.ts';
import { leftOut, ProgressBar, progressText, SkippedEvents, StopButton } from './job-progress.tsx';
import { OrderPanel } from './order-panel.tsx';
import { ReplayAtPace } from './replay-at-pace.tsx';
import { ResultsPanel } from './results-panel.tsx';
import { isRunning, useJob } from './use-job.ts';

/** One bulk job: how far it is, what became of its events, and who ordered it. */
export function JobPage() {
  const { jobId = '' } = useParams({ strict: false });
  const { data, error, refetch } = useJob(jobId);
  if (data) return <Job key={data.id} job={data} />;
  const isUnknown = error instanceof ApiProblem && error.status === 404;
  return (
    <Page title="Bulk job">
      {isUnknown && (
        <Empty title="There is no bulk job with this id.">
          <p>
            Jobs are deleted 30 days after their end. <Link to="/events">To the list of events</Link>
          </p>
        </Empty>
      )}
      {error && !isUnknown && <ProblemNotice error={error} retry={() => void refetch()} />}
      {!error && <p aria-busy="true">Loading …</p>}
    </Page>
  );
}

function Job({ job }: { job: BulkJob }) {
  const mayOperate = useMay('operate');
  useAnnouncedEnd(job);
  return (
    <Page title={jobNoun(job)} aside={<Badge state={job.state} />} actions={mayOperate && <StopButton job={job} />}>
      <Panel title="Progress">
        <div className="lines">
          <ProgressBar job={job} />
          <p>{progressText(job)}</p>
          <StateNotice job={job} />
          {leftOut(job) > 0 && <SkippedEvents skipped={job.skipped} />}
        </div>
      </Panel>
      <ResultsPanel job={job} />
      {!isRunning(job) && job.results.exhausted > 0 && <ReplayAgain job={job} />}
      <OrderPanel job={job} />
    </Page>
  );
}

/** Why the job does nothing now, or why it has ended before its last event. */
function StateNotice({ job }: { job: BulkJob }) {
  if (job.waits_for === 'paused')
    return (
      <Notice tone="open">
        <p>It waits: deliveries of its next event are paused. It goes on within a second after they are resumed.</p>
      </Notice>
    );
  if (job.state === 'failed') return <Notice tone="bad">It has failed: {job.reason}</Notice>;
  if (job.state !== 'stopped') return null;
  return <Notice>{reasons[job.reason ?? ''] ?? `It was stopped: ${job.reason}`}</Notice>;
}

const reasons: Readonly<Record<string, string>> = {
  operator: 'An operator has stopped it. The events that it had not reached are unchanged.',
  restored: 'The restore of a backup has stopped it. Order it again if it is still wanted.',
  consumer_disabled: 'It ended because its consumer was disabled. The events that it had made stay.',
  consumer_deleted: 'It ended because its consumer was deleted. The events that it had made stay.',
  account_disabled: 'It ended because its account was disabled. The events that it had made stay.',
  account_deleted: 'It ended because its account was deleted. The events that it had made stay.',
  no_address: 'It ended because its account has no delivery URL any more. The events that it had made stay.',
};

/** Another job for the events that failed again. */
function ReplayAgain({ job }: { job: BulkJob }) {
  const [isOpen, setOpen] = useState(false);
  const mayOperate = useMay('operate');
  if (!mayOperate) return null;
  if (!isOpen)
    return (
      <div className="buttons">
        <Button onClick={() => setOpen(true)}>Replay the exhausted ones …</Button>
      </div>
    );
  return (
    <Panel
      title={`Replay ${job.results.exact ? counted(job.results.exhausted, 'exhausted event') : 'exhausted events'}`}
    >
      <ReplayAtPace
        filter={{ job: job.id, state: 'exhausted' }}
        perSecond={job.per_second}
        onCancel={() => setOpen(false)}
      />
    </Panel>
  );
}

/** Announces the end of the job while the page is open. */
function useAnnouncedEnd(job: BulkJob): void {
  const wasRunning = useRef(isRunning(job));
  const runs = isRunning(job);
  useEffect(() => {
    if (wasRunning.current && !runs) announce(`The job is ${job.state}.`, job.state === 'done' ? 'good' : 'calm');
    wasRunning.current = runs;
  }, [runs, job.state]);
}
