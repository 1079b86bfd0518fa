import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { watchDamage } from './damage.ts';
import type { Damage, Task } from './other-client.ts';

export const mib = 1024 * 1024;

/** During any attack the gateway's memory may grow by this much, and another client may wait for this long. */
export const damageLimits = { grownMiB: 150, slowestMs: 3_000 };

/** Longer than the gateway needs for the data sent (2 s), and than the interval of its check for unread answers (1 s). */
const holdMs = 3_000;

/**
 * Runs an attack while another client sends requests, each on a new connection. The attackers keep their connections
 * open for three more seconds and close them, because a gateway that shuts down would wait for them.
 *
 * @param attack opens the attackers' connections with the given function
 */
export async function measureDamage(
  gateway: { pid: number; baseUrl: string },
  request: Task['request'],
  attack: (open: (options?: AttackerOptions) => Promise<Attacker>) => Promise<void>,
): Promise<Damage> {
  const { pid, baseUrl } = gateway;
  const attackers: Attacker[] = [];
  const open = async (options?: AttackerOptions) => {
    const opened = await attacker(baseUrl, options);
    attackers.push(opened);
    return opened;
  };
  const watch = await watchDamage({ pid, baseUrl, request });
  try {
    await Promise.race([attack(open).then(() => sleep(holdMs)), watch.broken]);
    return await watch.report();
  } finally {
    for (const { socket } of attackers) socket.destroy();
    await watch.end();
  }
}

export interface AttackerOptions {
  /** The local address of the connection, such as 127.0.0.2. */
  localAddress?: string;
  reads?: boolean;
}

export interface Attacker {
  socket: Socket;
  /** The text read so far; empty unless the option `reads` is set. */
  received(): string;
  /** Waits until the gateway has closed the connection. */
  readonly closed: Promise<unknown>;
}

/** Opens an attacker's connection. It reads nothing unless `reads` is set, and a broken connection is no error. */
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

/** The head of a POST request with this framing of the body. */
export function head(path: string, body: { length: number } | 'chunked', more = ''): string {
  const framing = body === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${body.length}`;
  return `POST ${path} HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\n${more}${framing}\r\n\r\n`;
}

/** A chunked body of this many bytes, each in a separate chunk. */
export const oneByteChunks = (bytes: number): Buffer => Buffer.from('1\r\na\r\n'.repeat(bytes));
