import { proxyActivities } from '@temporalio/workflow';

const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '1m' });

/** As little as an event's workflow can be: one activity. */
export async function floor(): Promise<void> {
  await nothing();
}
