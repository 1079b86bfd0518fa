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

/** Waits until the event, which is due, waits in the queue, and its workflow, if it had one, has ended. */
export async function waitsForResumption({ gateway, workflows }: Stage, eventId: string): Promise<void> {
  const queued = `select 1 from event_queue q join events e on e.id = q.event_id
    where q.event_id = $1 and (e.next_attempt_at is null or e.started_generation < e.generation)`;
  await until('the event waits for the resumption', async () => {
    if ((await gateway.rows(queued, [eventId])).length === 0) return false;
    const run = await workflows.latestRun(eventId);
    return !run || run.status === 'COMPLETED';
  });
}
