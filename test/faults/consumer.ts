import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { listen } from '../support/listen.ts';
import { randomFor } from './random.ts';
import { deliveryTimeoutMs } from './settings.ts';

/** What the consumer did with a request: answered with a status, never answered, or reset the connection. */
export type Answer = number | 'hang' | 'reset';

/** One POST as the consumer saw it. */
export interface Seen {
  eventId: string;
  /** The id of the webhook, and the name of the consumer, from the headers. */
  requestId: string;
  consumer: string;
  externalId: string;
  /** The number of the attempt, from its header. */
  number: number;
  account: string;
  /** The consumer whose address was used. */
  addressOf: string;
  atMs: number;
  answer: Answer;
  /** When the answer was handed to the system; null while there is none. */
  answeredMs: number | null;
  /** Whether the connection had served a request before. */
  reused: boolean;
}

/** The accounts of a seed. The consumer `default` of `broken` never succeeds. */
export const accounts = ['steady', 'other', 'flaky', 'slow', 'broken'] as const;
export type Account = (typeof accounts)[number];

/**
 * The consumers of each account. `some` gets those webhooks of which the payload says so. `unsteady` fails often, with every
 * account. `default` is as its account.
 */
const consumers = ['default', 'some', 'unsteady'] as const;
/** The consumers besides `default`, with their conditions. */
export const others = [
  { name: 'some', condition: 'payload.wanted' },
  { name: 'unsteady', condition: null },
] as const;

/** The consumers that get a webhook, in the order of their names. */
export const consumersOf = ({ isWanted }: { isWanted: boolean }): string[] =>
  consumers.filter((name) => name !== 'some' || isWanted);

/** How a consumer fails for some seconds, or for the whole seed. */
export const moods = ['hang', 'reset', 'slow', 'error'] as const;
export type Mood = (typeof moods)[number];

/** All consumers, on one port, with a path for each account and consumer. It records every request. */
export class Consumer {
  readonly seen: Seen[] = [];
  readonly #seed: number;
  readonly #brokenMood: Mood | 'mixed';
  readonly #failsEvery: number | null;
  readonly #served = new WeakMap<Socket, number>();
  readonly #server = createServer((request, response) => this.#take(request, response));
  /** The mood of the accounts that work otherwise, while a fault lasts. */
  mood: Mood | null = null;
  port = 0;

  /** @param failsEvery answers every so many requests with 500 and all others with 200, for all accounts. */
  constructor(seed: number, failsEvery: number | null = null) {
    this.#seed = seed;
    this.#failsEvery = failsEvery;
    this.#brokenMood = randomFor(seed, 'broken').pick([...moods, 'mixed'] as const);
  }

  async listen(): Promise<void> {
    this.port = await listen(this.#server);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const { socket, headers, url = '' } = request;
    const before = this.#served.get(socket) ?? 0;
    this.#served.set(socket, before + 1);
    const [, account = '', addressOf = ''] = url.split('/');
    const seen: Seen = {
      ...{ account, addressOf },
      eventId: String(headers['webhook-id']),
      requestId: String(headers['x-webhook-request-id']),
      consumer: String(headers['x-webhook-consumer']),
      externalId: String(headers['x-webhook-external-id']),
      number: Number(headers['x-webhook-attempt']),
      atMs: Date.now(),
      answer: 'hang',
      answeredMs: null,
      reused: before > 0,
    };
    this.seen.push(seen);
    request.resume();
    request.on('end', () => this.#answer(seen, response));
    request.on('error', () => undefined);
  }

  #answer(seen: Seen, response: ServerResponse): void {
    const { answer, afterMs, headers } = this.#plan(seen);
    if (answer === 'hang') return;
    setTimeout(() => {
      if (response.destroyed) return;
      seen.answer = answer;
      seen.answeredMs = Date.now();
      if (answer === 'reset') response.socket?.resetAndDestroy();
      else response.writeHead(answer, headers).end('seen');
    }, afterMs);
  }

  /** The answer of a mood, by the seed, the event with its consumer, and the number of the attempt. */
  #plan({ account, addressOf, externalId, number }: Seen): {
    answer: Answer;
    afterMs: number;
    headers?: Record<string, string>;
  } {
    if (this.#failsEvery !== null) return { answer: this.seen.length % this.#failsEvery === 0 ? 500 : 200, afterMs: 0 };
    const random = randomFor(this.#seed, externalId, addressOf, number);
    const own = addressOf === 'default' ? account : addressOf;
    if (own === 'broken') {
      const mood = this.#brokenMood === 'mixed' ? random.pick(moods) : this.#brokenMood;
      // With ten timeouts, an event would take half of the seed's time until it is exhausted.
      const waits = mood === 'hang' || mood === 'slow';
      return waits && random.chance(0.6) ? { answer: 500, afterMs: 0 } : this.#bad(mood);
    }
    if (this.mood) return this.#bad(this.mood);
    if (own === 'slow') return { answer: 200, afterMs: random.between(200, deliveryTimeoutMs / 2) };
    if ((own === 'flaky' || own === 'unsteady') && random.chance(0.4)) return this.#bad(random.pick(moods));
    return { answer: 200, afterMs: 0 };
  }

  #bad(mood: Mood): { answer: Answer; afterMs: number; headers?: Record<string, string> } {
    switch (mood) {
      case 'hang':
        return { answer: 'hang', afterMs: 0 };
      case 'reset':
        return { answer: 'reset', afterMs: 0 };
      case 'slow':
        // Too slow: it arrives after the time limit of the attempt.
        return { answer: 200, afterMs: deliveryTimeoutMs * 2 };
      case 'error':
        return { answer: 503, afterMs: 0, headers: { 'retry-after': '1' } };
      default:
        return mood satisfies never;
    }
  }
}
