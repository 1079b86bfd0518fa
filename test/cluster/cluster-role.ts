import type { Role } from '../faults/role.ts';
import { untilUp } from '../faults/until-up.ts';
import { connectTo } from '../support/temporal-connection.ts';
import { namespace } from './template.ts';

/** `temporal.api.enums.v1.TaskQueueType`. */
const workflowTasks = 1;

export interface ClusterRole {
  /** Such as `worker-2`. */
  name: string;
  kind: 'api' | 'worker';
  /** Where an api listens for requests, and a worker for its metrics. */
  port: number;
  process: Role;
  /** The folder of the package.json of its release. */
  checkout: string | undefined;
}

/** Starts a process, and waits until it accepts work. It is started again when it ends by itself. */
export async function startRole(
  role: ClusterRole,
  { temporalPort, taskQueue }: { temporalPort: number; taskQueue: string },
): Promise<void> {
  role.process.start();
  await untilUp(role.name, async () => {
    // With LOG_LEVEL=info, the process says so.
    if (role.process.isRunning) return true;
    const pid = role.process.process.pid;
    if (pid === null) return false;
    return role.kind === 'api' ? isReady(role.port) : polls(pid, temporalPort, taskQueue);
  });
}

const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/health/ready`).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );

/** Whether a process asks Temporal for workflow tasks. The SDK identifies a worker as `pid@host`. */
async function polls(pid: number, temporalPort: number, taskQueue: string): Promise<boolean> {
  const connection = await connectTo(`127.0.0.1:${temporalPort}`);
  try {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      ...{ namespace, taskQueue: { name: taskQueue }, taskQueueType: workflowTasks },
    });
    return pollers?.some(({ identity }) => identity?.startsWith(`${pid}@`)) ?? false;
  } finally {
    await connection.close();
  }
}
