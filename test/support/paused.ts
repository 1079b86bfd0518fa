import type { AdminClient, Answer } from './admin-client.ts';
import type { Stage } from './situations.ts';
import { until } from './until.ts';

async function expected(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer;
  if (status !== 200) throw new Error(`not accepted: ${JSON.stringify(body)}`);
  return body;
}

/** Pauses deliveries. */
export const pauseDeliveries = (admin: AdminClient) =>
  expected(admin.post('/admin/delivery/pause', { reason: 'a test' }));

/** Resumes deliveries. @returns the time just before that, so that all earlier requests were sent during the pause */
export async function resumeDeliveries(admin: AdminClient): Promise<number> {
  const atMs = Date.now();
  await expected(admin.post('/admin/delivery/resume'));
  return atMs;
}

/** Waits until, after this call, the event's workflow tries a due attempt and has to wait because of the pause. */
export async function waitsForResumption({ workflows }: Stage, eventId: string): Promise<void> {
  const before = await workflows.state(eventId);
  await until('the workflow waits for the resumption', async () => {
    const { phase, nextAttemptAt } = await workflows.state(eventId);
    return (
      phase === 'waiting' && nextAttemptAt !== before.nextAttemptAt && Date.parse(nextAttemptAt ?? '') > Date.now()
    );
  });
}
