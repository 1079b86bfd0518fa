import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * A client of a gateway under attack. It runs in its own thread, because attackers keep the event loop of the test busy,
 * which would count as a delay of the gateway. It posts `ready` when it starts to measure, and the damage after it gets
 * a message.
 */
export interface Task {
  pid: number;
  baseUrl: string;
  request: { method: string; path: string; headers?: Record<string, string>; body?: string };
}

/** The effect of an attack on the gateway and another client. */
export interface Damage {
  /** The growth of the gateway's resident set since before the attack. */
  grownMiB: number;
  /**
   * The longest time for which this client waited for an answer, in periods of a timer of its own: when the whole machine
   * stands still, neither the gateway nor this client is slow.
   */
  slowestMs: number;
  /** The statuses that this client got, each once. */
  statuses: number[];
}

const pollMs = 50;
/** No attacker has this address. */
const localAddress = '127.0.0.99';

/** The resident set of a process, in MiB. */
function residentMiB(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kib === undefined) throw new Error(`process ${pid} has no resident set`);
  return Number(kib) / 1024;
}

/** Sends one request on a new connection. Resolves with the status after the complete answer. */
function statusOf(baseUrl: string, { body, path, ...request }: Task['request']): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${baseUrl}${path}`, { ...request, agent: false, localAddress }, (answer) => {
      answer.resume().once('error', reject);
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

async function run({ pid, baseUrl, request }: Task): Promise<void> {
  // Warm-up: the growth by code that is loaded and compiled does not count. After 512 requests the memory grows by at
  // most about 15 MiB more, until V8's young generation is full for the first time.
  for (let n = 0; n < 8; n++) await Promise.all(Array.from({ length: 64 }, () => statusOf(baseUrl, request)));
  const before = residentMiB(pid);
  const damage: Damage = { grownMiB: 0, slowestMs: 0, statuses: [] };
  let over = false;
  parentPort?.once('message', () => {
    over = true;
  });
  let periods = 0;
  // A late timer does not make up for the periods that it has missed.
  setInterval(() => {
    periods += 1;
  }, pollMs).unref();
  parentPort?.postMessage('ready');
  while (!over) {
    const began = periods;
    const status = await statusOf(baseUrl, request);
    damage.slowestMs = Math.max(damage.slowestMs, (periods - began) * pollMs);
    if (!damage.statuses.includes(status)) damage.statuses.push(status);
    damage.grownMiB = Math.max(damage.grownMiB, residentMiB(pid) - before);
    await sleep(pollMs);
  }
  parentPort?.postMessage(damage);
}

await run(workerData);
