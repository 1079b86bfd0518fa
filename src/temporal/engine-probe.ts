import type { TemporalOptions } from './connection.ts';
import { connectLazily, saysThatItIsAway } from './lazy-connection.ts';

/** A healthy server answers within milliseconds, and a page waits for it. */
const answerLimitMs = 1_000;
/** A worker asks for tasks at least once a minute, and its last request is what Temporal reports. */
const pollingMs = 2 * 60_000;

/** `temporal.api.enums.v1.TaskQueueType`. */
const workflowTasks = 1;

/** Whether Temporal answers, and how many workers ask it for tasks of deliveries. */
export type EngineState = { answers: true; answerMs: number; workers: number } | { answers: false };

/** Asks Temporal on behalf of an operator. It connects at the first question. */
export function createEngineProbe(options: TemporalOptions): {
  ask(): Promise<EngineState>;
  close(): Promise<void>;
} {
  const { namespace, taskQueue } = options;
  const connection = connectLazily(options);
  return {
    async ask() {
      const startedMs = performance.now();
      try {
        const { pollers } = await connection.withDeadline(Date.now() + answerLimitMs, () =>
          connection.workflowService.describeTaskQueue({
            namespace,
            taskQueue: { name: taskQueue },
            taskQueueType: workflowTasks,
          }),
        );
        const answerMs = Math.round((performance.now() - startedMs) * 10) / 10;
        const sinceS = (Date.now() - pollingMs) / 1000;
        const polling = (pollers ?? []).filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) > sinceS);
        return { answers: true, answerMs, workers: new Set(polling.map(({ identity }) => identity)).size };
      } catch (error) {
        if (saysThatItIsAway(error)) return { answers: false };
        throw error;
      }
    },
    close: () => connection.close(),
  };
}
