import { setTimeout as sleep } from 'node:timers/promises';

/** An api that another fault has stopped answers nothing. */
const answerLimitMs = 2_000;
const againMs = 100;

/**
 * Pauses deliveries, as an operator does in an incident: repeated at the next api until one has done it. Returns the function
 * that resumes them in the same way.
 */
export function pauseDeliveries(apiUrls: readonly string[], adminToken: string): () => Promise<void> {
  const call = async (path: string) => {
    for (let n = 0; ; n++) {
      const answer = await fetch(`${apiUrls[n % apiUrls.length]}/admin/delivery/${path}`, {
        method: 'POST',
        headers: { 'x-admin-token': adminToken, 'content-type': 'application/json' },
        body: path === 'pause' ? JSON.stringify({ reason: 'a fault' }) : null,
        signal: AbortSignal.timeout(answerLimitMs),
      }).catch(() => null);
      await answer?.arrayBuffer().catch(() => undefined);
      if (answer?.ok) return;
      await sleep(againMs);
    }
  };
  const paused = call('pause');
  return async () => {
    await paused;
    await call('resume');
  };
}
