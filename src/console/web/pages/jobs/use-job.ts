import { useQuery } from '@tanstack/react-query';
import { isId } from '../../../../shared/is-id.ts';
import { answer, api } from '../../api/client.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { BulkJob } from '../../api/types.ts';
import { useAction } from '../../components/use-action.ts';

/** The list of jobs, and with an id one job. */
export const jobsKey = ['bulk-jobs'];

/** A job of the list. */
export type ListedJob = Omit<BulkJob, 'event_ids' | 'results' | 'waits_for'>;

/** While the job runs, while attempts of its events are to come, and afterwards, when only operators change its events. */
const [runningMs, openMs, endedMs] = [1_000, 3_000, 15_000];

const noJob = new ApiProblem({ status: 404, title: 'Not found', detail: 'there is no bulk job with this id' });

export const isRunning = ({ state }: Pick<BulkJob, 'state'>) => state === 'running' || state === 'stopping';

/** One job with what became of its events, renewed while the page is open. */
export const useJob = (id: string) =>
  useQuery({
    queryKey: [...jobsKey, id],
    queryFn: ({ signal }) => {
      if (!isId(id)) throw noJob;
      return answer(api.events.bulk({ job_id: id }).get({ query: {}, fetch: { signal } }));
    },
    refetchInterval: ({ state: { data } }) => {
      if (!data) return endedMs;
      if (isRunning(data)) return runningMs;
      return data.results.waiting + data.results.failing > 0 ? openMs : endedMs;
    },
  });

/** The call that stops a job. */
export const useStopJob = (id: string) =>
  useAction({
    call: () => answer(api.events.bulk({ job_id: id }).stop.post()),
    done: () => 'The job stops after the events that it works on.',
    changes: jobsKey,
  });
