import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const goodbyeMs = 1_000;

/**
 * Ends a connection of its own. A server that is out of reach says no goodbye for minutes; that is not waited for, since
 * whoever ends a connection has others waiting.
 */
export async function endClient(client: pg.Client): Promise<void> {
  const goodbye = client.end().catch(() => undefined);
  await Promise.race([goodbye, sleep(goodbyeMs, undefined, { ref: false })]);
}
