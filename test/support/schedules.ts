import { Client, type ScheduleHandle, ScheduleNotFoundError } from '@temporalio/client';
import { scheduleId } from '../../src/maintenance/schedules/schedule-options.ts';
import { type MaintenanceTaskName, maintenanceTaskNames } from '../../src/maintenance/tasks.ts';
import { connectTo } from './temporal-connection.ts';
import { useForAll } from './use.ts';

interface Access {
  address: string;
  namespace: string;
  taskQueue: string;
}

/** A client of Temporal for the schedules of a gateway. */
export async function openSchedules({ address, namespace, taskQueue }: Access) {
  const connection = await connectTo(address);
  const client = new Client({ connection, namespace });
  return {
    client,
    schedule: (name: MaintenanceTaskName): ScheduleHandle => client.schedule.getHandle(scheduleId(taskQueue, name)),
    close: () => connection.close(),
  };
}

/** The same for all tests of a file. */
export const useSchedules = (gateway: { temporal: Access }) =>
  useForAll(
    () => openSchedules(gateway.temporal),
    ({ close }) => close(),
  );

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
