import { proxyActivities } from '@temporalio/workflow';

const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '1m' });

/** The smallest possible workflow of an event: one activity. */
export async function floor(): Promise<void> {
  await nothing();
}
