import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const goodbyeMs = 1_000;

/**
 * Ends a dedicated connection. Waits at most 1 s, because an unreachable server would delay the caller's shutdown for
 * minutes.
 */
export async function endClient(client: pg.Client): Promise<void> {
  const goodbye = client.end().catch(() => undefined);
  await Promise.race([goodbye, sleep(goodbyeMs, undefined, { ref: false })]);
}
