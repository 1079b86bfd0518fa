import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * A client that asks the gateway while others attack it, in a thread of its own: the attackers keep the event loop of theirs
 * busy, and what it would wait for that is no damage to the gateway. It says `ready` when it begins to measure, and reports the
 * damage after a message.
 */
interface Task {
  pid: number;
  baseUrl: string;
  request: { method: string; path: string; body?: string };
}

/** What an attack does to the others. */
export interface Damage {
  /** How far the memory of the gateway (its resident set) rose above what it was before. */
  grownMiB: number;
  /** The longest that another client waited for its answer. */
  slowestMs: number;
  /** The answers that this client got, each status once. */
  statuses: number[];
}

const pollMs = 50;
/** Its address is none of the attackers'. */
const localAddress = '127.0.0.99';

/** The resident set of a process, in MiB. */
function residentMiB(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kib === undefined) throw new Error(`process ${pid} has no resident set`);
  return Number(kib) / 1024;
}

/** One request on a connection of its own; resolves with the status once the answer is whole. */
function statusOf(baseUrl: string, { method, path, body }: Task['request']): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${baseUrl}${path}`, { method, agent: false, localAddress }, (answer) => {
      answer.resume().once('error', reject);
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

async function stand({ pid, baseUrl, request }: Task): Promise<void> {
  // What a gateway loads, compiles and keeps once it has had some traffic is not the attack's. After 512 requests its memory
  // grows by some 15 MiB more at most, until V8's space for short-lived objects is full for the first time.
  for (let n = 0; n < 8; n++) await Promise.all(Array.from({ length: 64 }, () => statusOf(baseUrl, request)));
  const before = residentMiB(pid);
  const damage: Damage = { grownMiB: 0, slowestMs: 0, statuses: [] };
  let over = false;
  parentPort?.once('message', () => {
    over = true;
  });
  parentPort?.postMessage('ready');
  while (!over) {
    const beganMs = performance.now();
    const status = await statusOf(baseUrl, request);
    damage.slowestMs = Math.max(damage.slowestMs, performance.now() - beganMs);
    if (!damage.statuses.includes(status)) damage.statuses.push(status);
    damage.grownMiB = Math.max(damage.grownMiB, residentMiB(pid) - before);
    await sleep(pollMs);
  }
  parentPort?.postMessage(damage);
}

await stand(workerData);
