import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AnswersIn, answersIn } from './answers.ts';

/** What a client does next: write bytes, wait (for a time or for an answer), close its sending side, or reset the connection. */
export type Step = Buffer | { pauseMs: number } | 'answered' | 'half-close' | 'reset';

/** What a client got on one connection. */
export interface Talk extends AnswersIn {
  /** How the connection ended; `open`: the gateway had not closed it when the time was over. */
  end: 'closed' | 'reset' | 'open';
}

export interface TalkOptions {
  /** The local address of the connection, such as 127.0.0.2. */
  localAddress?: string;
  /** How long to wait for the gateway to close the connection after the last step. */
  limitMs?: number;
  /** Whether the first final answer is one to HEAD, which has no body. */
  isHead?: boolean;
  /** Ends the talk: the client resets the connection. */
  signal?: AbortSignal;
}

/** More than the gateway's 5 s for a client that is still sending when it has its answer. */
const closeLimitMs = 10_000;

/**
 * Takes the steps on a new connection and reads until the gateway closes it. As a client has to do (RFC 9112, section
 * 9.6), it closes its sending side after an answer with `Connection: close`.
 */
export async function talk(baseUrl: string, steps: readonly Step[], options: TalkOptions = {}): Promise<Talk> {
  const { localAddress = '127.0.0.1', limitMs = closeLimitMs, isHead = false, signal } = options;
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(baseUrl).port), localAddress, allowHalfOpen: true });
  socket.setNoDelay();
  const parts: Buffer[] = [];
  let end: Talk['end'] = 'open';
  const so = () => answersIn(Buffer.concat(parts), isHead);
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    if (socket.writable && so().answers.at(-1)?.closes) socket.end();
  });
  socket.once('end', () => {
    end = 'closed';
    socket.end();
  });
  // The gateway may reset the connection of a client that is still sending.
  socket.on('error', () => {
    end = 'reset';
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const answered = new Promise<void>((resolve) => socket.once('data', () => resolve()));
  const abort = () => void socket.resetAndDestroy();
  signal?.addEventListener('abort', abort);
  for (const step of steps) {
    if (socket.destroyed || end !== 'open') break;
    if (step === 'half-close') socket.end();
    else if (step === 'answered') await Promise.race([answered, closed]);
    else if (step === 'reset') {
      socket.resetAndDestroy();
      end = 'reset';
    } else if (!Buffer.isBuffer(step)) await Promise.race([sleep(step.pauseMs), closed]);
    else if (socket.writable) await Promise.race([new Promise((done) => socket.write(step, done)), closed]);
  }
  const over = new AbortController();
  await Promise.race([closed, sleep(limitMs, undefined, { signal: over.signal }).catch(() => undefined)]);
  over.abort();
  signal?.removeEventListener('abort', abort);
  socket.destroy();
  return { ...so(), end };
}
