import type { AdminClient, Answer } from './admin-client.ts';
import type { Stage } from './situations.ts';
import { until } from './until.ts';

async function expected(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer;
  if (status !== 200) throw new Error(`not taken: ${JSON.stringify(body)}`);
  return body;
}

/** Pauses deliveries. */
export const pauseDeliveries = (admin: AdminClient) =>
  expected(admin.post('/admin/delivery/pause', { reason: 'a test' }));

/** Resumes them. @returns the last moment before that: whatever was sent earlier was sent during the pause */
export async function resumeDeliveries(admin: AdminClient): Promise<number> {
  const atMs = Date.now();
  await expected(admin.post('/admin/delivery/resume'));
  return atMs;
}

/** Waits until the event's workflow has asked, from now on, for an attempt that is due, and was told to wait. */
export async function toldToWait({ workflows }: Stage, eventId: string): Promise<void> {
  const before = await workflows.state(eventId);
  await until('the workflow was told to wait', async () => {
    const { phase, nextAttemptAt } = await workflows.state(eventId);
    return (
      phase === 'waiting' && nextAttemptAt !== before.nextAttemptAt && Date.parse(nextAttemptAt ?? '') > Date.now()
    );
  });
}
