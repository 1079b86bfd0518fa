import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { rawRequest } from './raw-http.ts';

const pollMs = 50;
export const mib = 1024 * 1024;
/** The client that asks while others attack has an address of its own. */
const bystander = '127.0.0.99';

/** The gateway may grow by so much and keep another client waiting for so long, whatever is done to it. */
export const bearable = { grownMiB: 150, slowestMs: 1_000 };

/** What an attack does to the others. */
export interface Damage {
  /** How far the memory of the gateway (its resident set) rose above what it was before. */
  grownMiB: number;
  /** The longest that another client waited for its answer. */
  slowestMs: number;
  /** The answers that this client got, each status once. */
  statuses: number[];
}

/** The resident set of a process, in MiB. */
export function residentMiB(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kib === undefined) throw new Error(`process ${pid} has no resident set`);
  return Number(kib) / 1024;
}

/**
 * Runs an attack while another client sends request after request, each on a connection of its own, and for `afterMs`
 * longer.
 */
export async function damageOf(
  gateway: { pid: number; baseUrl: string },
  request: { method: string; path: string; body?: string },
  attack: () => Promise<void>,
  afterMs = 2_000,
): Promise<Damage> {
  const ask = () => rawRequest(gateway.baseUrl, { ...request, localAddress: bystander });
  // What the first requests load is not the attack's.
  for (let n = 0; n < 20; n++) await ask();
  const before = residentMiB(gateway.pid);
  const damage: Damage = { grownMiB: 0, slowestMs: 0, statuses: [] };
  let over = false;
  const watch = (async () => {
    while (!over) {
      const beganMs = performance.now();
      const { status } = await ask();
      damage.slowestMs = Math.max(damage.slowestMs, performance.now() - beganMs);
      if (!damage.statuses.includes(status)) damage.statuses.push(status);
      damage.grownMiB = Math.max(damage.grownMiB, residentMiB(gateway.pid) - before);
      await sleep(pollMs);
    }
  })();
  try {
    await Promise.race([attack().then(() => sleep(afterMs)), watch]);
  } finally {
    over = true;
  }
  await watch;
  return damage;
}

export interface Attacker {
  socket: Socket;
  /** What it has read so far; nothing unless it reads. */
  received(): string;
  /** Waits until the gateway has closed the connection. */
  readonly closed: Promise<unknown>;
}

/** Opens a connection as an attacker has it: nothing is read unless told, and nothing that breaks it is an error. */
export async function attacker(
  baseUrl: string,
  options: { localAddress?: string; reads?: boolean } = {},
): Promise<Attacker> {
  const { localAddress = '127.0.0.1', reads = false } = options;
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(baseUrl).port), localAddress, allowHalfOpen: true });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const closed = once(socket, 'close').catch(() => undefined);
  await once(socket, 'connect');
  const parts: Buffer[] = [];
  if (reads) socket.on('data', (part: Buffer) => parts.push(part)).on('end', () => socket.end());
  else socket.pause();
  return { socket, received: () => Buffer.concat(parts).toString('latin1'), closed };
}

/** The head of a POST; a length where the body is not chunked. */
export function head(path: string, body: { length: number } | 'chunked', more = ''): string {
  const framing = body === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${body.length}`;
  return `POST ${path} HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\n${more}${framing}\r\n\r\n`;
}

/** A chunked body of so many bytes, each a chunk of its own. */
export const oneByteChunks = (bytes: number): Buffer => Buffer.from('1\r\na\r\n'.repeat(bytes));
