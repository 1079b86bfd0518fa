import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export interface PacedWebhooks {
  /** How many were acknowledged with 202 so far. */
  accepted(): number;
  /** The ids of the events that were acknowledged so far. */
  ids(): string[];
  /** Sends no more than what was due by now, and waits for the answers. */
  end(): Promise<{ due: number; accepted: number; refused: number[] }>;
}

const connections = 16;

/**
 * Sends webhooks on a schedule of so many a second: each has its time, and one that could not be sent then is sent as soon as
 * a connection is free. So the pace holds on average, whatever else this process does meanwhile.
 */
export function sendPaced(
  baseUrl: string,
  account: { provider: string; account_slug: string },
  perSecond: number,
): PacedWebhooks {
  const pool = new Pool(baseUrl, { connections, pipelining: 1 });
  const path = `/${account.provider}/${account.account_slug}`;
  const ids: string[] = [];
  const refused: number[] = [];
  const startedMs = performance.now();
  const dueBy = (ms: number) => Math.floor(((ms - startedMs) * perSecond) / 1000);
  let last = Number.POSITIVE_INFINITY;
  let next = 0;

  const post = async (n: number) => {
    const body = JSON.stringify({ id: `live-${n}`, type: 'live' });
    const headers = { 'content-type': 'application/json' };
    const answer = await pool.request({ method: 'POST', path, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode === 202) ids.push(JSON.parse(text).id);
    else refused.push(answer.statusCode);
  };
  const connection = async () => {
    while (next < last) {
      if (next < dueBy(performance.now())) await post(next++);
      else await sleep(1000 / perSecond);
    }
  };
  const all = Promise.all(Array.from({ length: connections }, connection));
  return {
    accepted: () => ids.length,
    ids: () => [...ids],
    async end() {
      last = Math.max(next, dueBy(performance.now()));
      await all;
      await pool.close();
      return { due: last, accepted: ids.length, refused };
    },
  };
}
