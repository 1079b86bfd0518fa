import type { Treaty } from '@elysia/eden';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { answer, api } from '../../api/client.ts';
import { tasksQuery } from '../../api/tasks.ts';
import { announce } from '../../components/announce.ts';

export type Backup = Treaty.Data<(typeof api)['backups']['get']>[number];

const queryKey = ['backups'];
/** Another operator, or the schedule, may start one. */
const everyMs = 5_000;
const whileRunningMs = 1_000;
/** Schedules change seldom. */
const scheduleMs = 30_000;

const isRunning = ({ status }: Backup) => status === 'running';

/** The backups, newest first. The end of one that runs is announced. */
export function useBackups() {
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => answer(api.backups.get({ fetch: { signal } })),
    refetchInterval: ({ state }) => (state.data?.some(isRunning) ? whileRunningMs : everyMs),
  });
  const runningId = useRef<string | null>(null);
  const { data } = query;
  useEffect(() => {
    const ended = data?.find(({ id }) => id === runningId.current);
    if (ended && !isRunning(ended))
      announce(
        ended.status === 'completed' ? 'The backup is complete.' : 'The backup failed.',
        ended.status === 'completed' ? 'good' : 'bad',
      );
    runningId.current = data?.find(isRunning)?.id ?? null;
  }, [data]);
  return query;
}

/** Starts a backup. */
export function useMakeBackup() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answer(api.backups.trigger.post()),
    onSuccess: () => announce('A backup was started.'),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}

/** The nightly task. Without its schedule, no worker makes backups. */
export const useBackupTask = () =>
  useQuery({
    ...tasksQuery,
    select: (tasks) => tasks.find(({ name }) => name === 'backup') ?? null,
    refetchInterval: ({ state }) => (state.status === 'error' ? everyMs : scheduleMs),
  });
