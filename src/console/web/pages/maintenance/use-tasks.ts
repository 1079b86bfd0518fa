import type { Treaty } from '@elysia/eden';
import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../../api/client.ts';
import { tasksQuery } from '../../api/tasks.ts';
import { useAction } from '../../components/use-action.ts';

/** A maintenance task; the API calls them upkeep. */
export type Task = Treaty.Data<(typeof api)['upkeep']['get']>[number];
/** A run of a task, which may still be in progress. */
export type Run = Treaty.Data<ReturnType<(typeof api)['upkeep']>['runs']['get']>[number];

const { queryKey } = tasksQuery;
const everyMs = 5_000;
/** While a run is in progress, which often takes less than a second. */
const whileRunningMs = 1_000;

/** The maintenance tasks. `isAwaiting`: a run was asked for that has not ended. */
export const useTasks = (isAwaiting: boolean) =>
  useQuery({
    ...tasksQuery,
    refetchInterval: ({ state }) =>
      isAwaiting || state.data?.some(({ running }) => running) ? whileRunningMs : everyMs,
  });

/** The last runs of a task, newest first. */
export const useRuns = (name: Task['name']) =>
  useQuery({
    queryKey: [...queryKey, name, 'runs'],
    queryFn: ({ signal }) => answer(api.upkeep({ name }).runs.get({ fetch: { signal } })),
    refetchInterval: everyMs,
    retry: tasksQuery.retry,
  });

type TaskAction = 'trigger' | 'pause' | 'resume';

const done: Record<TaskAction, (name: string) => string> = {
  trigger: (name) => `A run of ${name} was asked for.`,
  pause: (name) => `${name} is paused.`,
  resume: (name) => `${name} runs by its schedule again.`,
};

/** Triggers, pauses or resumes a task. */
export const useTaskAction = ({ name }: Task) =>
  useAction({
    call: (action: TaskAction) => answer(api.upkeep({ name })[action].post()),
    done: (action) => done[action](name),
    changes: queryKey,
  });
