import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import type { Damage } from './bystander.ts';

export const mib = 1024 * 1024;

/** The gateway may grow by so much and keep another client waiting for so long, whatever is done to it. */
export const bearable = { grownMiB: 150, slowestMs: 1_000 };

/** What was sent is worked off within two seconds, and what is not read is looked for once a second. */
const holdMs = 3_000;

/**
 * Runs an attack while another client sends request after request, each on a connection of its own. The attackers hold their
 * connections for three seconds more, and close them then: a gateway that stops would wait for them.
 *
 * @param attack opens connections of attackers with the function that it gets.
 */
export async function damageOf(
  gateway: { pid: number; baseUrl: string },
  request: { method: string; path: string; body?: string },
  attack: (open: (options?: AttackerOptions) => Promise<Attacker>) => Promise<void>,
): Promise<Damage> {
  const { pid, baseUrl } = gateway;
  const attackers: Attacker[] = [];
  const open = async (options?: AttackerOptions) => {
    const opened = await attacker(baseUrl, options);
    attackers.push(opened);
    return opened;
  };
  const bystander = new Worker(new URL('./bystander.ts', import.meta.url), { workerData: { pid, baseUrl, request } });
  // A rejection: the other client got no answer at all.
  const broken = once(bystander, 'exit').then(() => Promise.reject(new Error('the other client has ended')));
  broken.catch(() => undefined);
  try {
    await Promise.race([once(bystander, 'message'), broken]);
    await Promise.race([attack(open).then(() => sleep(holdMs)), broken]);
    const report = once(bystander, 'message');
    bystander.postMessage('report');
    const [damage]: Damage[] = await Promise.race([report, broken]);
    if (damage === undefined) throw new Error('the other client has reported nothing');
    return damage;
  } finally {
    for (const { socket } of attackers) socket.destroy();
    await bystander.terminate();
  }
}

export interface AttackerOptions {
  /** The address to come from, such as 127.0.0.2. */
  localAddress?: string;
  reads?: boolean;
}

export interface Attacker {
  socket: Socket;
  /** What it has read so far; nothing unless it reads. */
  received(): string;
  /** Waits until the gateway has closed the connection. */
  readonly closed: Promise<unknown>;
}

/** Opens a connection as an attacker has it: nothing is read unless told, and nothing that breaks it is an error. */
export async function attacker(baseUrl: string, options: AttackerOptions = {}): Promise<Attacker> {
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
