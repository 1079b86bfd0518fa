import { Client, Connection, type ScheduleHandle, ScheduleNotFoundError } from '@temporalio/client';
import { scheduleId } from '../../src/maintenance/schedules/schedule-options.ts';
import { type MaintenanceTaskName, maintenanceTaskNames } from '../../src/maintenance/tasks.ts';

interface Access {
  address: string;
  namespace: string;
  taskQueue: string;
}

/** A client of Temporal for the schedules of a gateway. */
export async function openSchedules({ address, namespace, taskQueue }: Access) {
  const connection = await Connection.connect({
    address,
    // Otherwise gRPC uses the proxy of the environment even for a loopback address.
    channelArgs: { 'grpc.enable_http_proxy': 0 },
  });
  const client = new Client({ connection, namespace });
  return {
    client,
    schedule: (name: MaintenanceTaskName): ScheduleHandle => client.schedule.getHandle(scheduleId(taskQueue, name)),
    close: () => connection.close(),
  };
}

/** Removes the schedules of a gateway. */
export async function removeSchedules(access: Access): Promise<void> {
  const { schedule, close } = await openSchedules(access);
  await Promise.all(
    maintenanceTaskNames.map((name) =>
      schedule(name)
        .delete()
        .catch((error: unknown) => {
          if (!(error instanceof ScheduleNotFoundError)) throw error;
        }),
    ),
  );
  await close();
}
