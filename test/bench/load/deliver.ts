import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs, Poster } from './webhooks.ts';

export interface DeliverJob {
  url: string;
  secret: string;
  consumerPort: number;
  events: number;
  /** Events a second; 0 sends as fast as the connections allow. */
  rate: number;
  connections: number;
  limitSeconds: number;
}

export interface DeliverResult {
  acknowledged: number;
  lost: number;
  duplicated: number;
  /** From the first POST to the last first delivery. */
  seconds: number;
  latenciesMs: number[];
}

const settleMs = 2_000;

/** Sends events and receives them as their consumer, so that both ends have the same clock. */
export async function deliver(job: DeliverJob): Promise<DeliverResult> {
  const sentMs = new Map<string, number>();
  const arrivedMs = new Map<string, number>();
  let duplicated = 0;
  const server = createServer((request, response) => {
    const id = String(request.headers['x-webhook-external-id']);
    if (arrivedMs.has(id)) duplicated++;
    else arrivedMs.set(id, nowMs());
    request.resume();
    request.on('end', () => response.writeHead(200, { 'content-length': 0 }).end());
  });
  await new Promise<void>((resolve) => server.listen(job.consumerPort, '127.0.0.1', resolve));

  const poster = new Poster(job);
  const run = process.pid.toString(36) + Date.now().toString(36);
  const acknowledged = new Set<string>();
  const send = async (id: string) => {
    sentMs.set(id, nowMs());
    if ((await poster.post(id)) === 202) acknowledged.add(id);
  };
  const startedMs = nowMs();
  if (job.rate > 0) {
    const sends: Promise<void>[] = [];
    for (let n = 0; n < job.events; n++) {
      await sleep(Math.max(0, startedMs + (n * 1000) / job.rate - nowMs()));
      sends.push(send(`${run}-${n}`));
    }
    await Promise.all(sends);
  } else {
    let next = 0;
    const connection = async () => {
      while (next < job.events) await send(`${run}-${next++}`);
    };
    await Promise.all(Array.from({ length: job.connections }, connection));
  }
  const endMs = nowMs() + job.limitSeconds * 1000;
  while (arrivedMs.size < acknowledged.size && nowMs() < endMs) await sleep(20);
  process.stdout.write('arrived\n');
  // Wait for duplicates, which arrive after the first deliveries.
  await sleep(settleMs);
  await poster.close();
  server.closeAllConnections();
  server.close();
  const latenciesMs = [...arrivedMs].flatMap(([id, at]) => {
    const sent = sentMs.get(id);
    return sent === undefined ? [] : [at - sent];
  });
  const lastMs = Math.max(...arrivedMs.values());
  const lost = [...acknowledged].filter((id) => !arrivedMs.has(id)).length;
  return { acknowledged: acknowledged.size, lost, duplicated, seconds: (lastMs - startedMs) / 1000, latenciesMs };
}
