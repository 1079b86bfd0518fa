import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

const connections = 16;

/** A provider sends a webhook again when a busy gateway has answered 503. */
const againMs = 200;

/**
 * Sends a fixed number of webhooks a second. A webhook that is late is sent as soon as a connection is free, so that
 * the average rate holds even when this process is busy.
 */
export function sendPaced(baseUrl: string, account: { provider: string; account_slug: string }, perSecond: number) {
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
    for (;;) {
      const answer = await pool.request({ method: 'POST', path, headers, body });
      const text = await answer.body.text();
      if (answer.statusCode === 202) return void ids.push(JSON.parse(text).id);
      if (answer.statusCode !== 503) return void refused.push(answer.statusCode);
      await sleep(againMs);
    }
  };
  const connection = async () => {
    while (next < last) {
      if (next < dueBy(performance.now())) await post(next++);
      else await sleep(1000 / perSecond);
    }
  };
  const all = Promise.all(Array.from({ length: connections }, connection));
  return {
    /** The number of webhooks acknowledged with 202 so far. */
    accepted: () => ids.length,
    /** The ids of the events that were acknowledged so far. */
    ids: () => [...ids],
    /** Sends only the webhooks that are due by now, and waits for the answers. */
    async end() {
      last = Math.max(next, dueBy(performance.now()));
      await all;
      await pool.close();
      return { due: last, accepted: ids.length, refused };
    },
  };
}
