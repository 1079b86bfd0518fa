import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { listen } from '../support/listen.ts';

/** One webhook of the load, with what its sender and its consumer saw. */
export interface Sent {
  account: Account;
  /** The status of the answer, or the error without one. */
  answer: string;
  eventId: string | null;
  ackedMs: number;
}

/** A POST that the consumer received. */
export interface Received {
  eventId: string;
  /** The number of the attempt, from its header. */
  attempt: number;
  atMs: number;
  status: number;
}

/** The consumer of `flaky` refuses the first attempt of each event, so that each waits in a workflow. */
export const accounts = ['steady', 'flaky'] as const;
export type Account = (typeof accounts)[number];
/** Connections of the senders, which stay open, as those of providers do. */
const senders = 32;
/** Longer than any answer takes. */
const answerLimitMs = 30_000;

const accepted = z.object({ id: z.string() });

/** Accepts all deliveries, except first attempts of `flaky`. */
export class Consumer {
  readonly received: Received[] = [];
  readonly #server = createServer((incoming, response: ServerResponse) => {
    const attempt = Number(incoming.headers['x-webhook-attempt']);
    const status = incoming.url === '/flaky' && attempt === 1 ? 500 : 200;
    this.received.push({ eventId: String(incoming.headers['webhook-id']), attempt, atMs: performance.now(), status });
    incoming.resume();
    incoming.on('end', () => response.writeHead(status).end());
  });
  port = 0;

  async listen(): Promise<void> {
    this.port = await listen(this.#server);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

interface LoadOptions {
  url: string;
  /** Webhooks per second. */
  rate: number;
  /** Every so many webhooks are for `flaky`. */
  flakyEvery: number;
  secret: string;
}

/** Sends webhooks at a steady rate until it is stopped. Sends none again. */
export class Load {
  readonly sent: Sent[] = [];
  readonly #options: LoadOptions;
  readonly #dispatcher = new Agent({ connections: senders, pipelining: 1 });
  readonly #open = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #stopped: Promise<Sent[]> | null = null;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Stops sending and waits for all answers. */
  stop(): Promise<Sent[]> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<Sent[]> {
    this.#stopping.abort();
    await this.#running;
    await Promise.all(this.#open);
    await this.#dispatcher.close();
    return this.sent;
  }

  async #run(): Promise<void> {
    const { rate } = this.#options;
    const startedMs = performance.now();
    for (let n = 0; !this.#stopping.signal.aborted; n++) {
      await sleep(Math.max(0, (n * 1000) / rate - (performance.now() - startedMs)));
      const sending = this.#send(n, n % this.#options.flakyEvery === 0 ? 'flaky' : 'steady');
      this.#open.add(sending);
      void sending.finally(() => this.#open.delete(sending));
    }
  }

  async #send(n: number, account: Account): Promise<void> {
    const sent: Sent = { account, answer: '', eventId: null, ackedMs: 0 };
    this.sent.push(sent);
    try {
      const { statusCode, body } = await request(`${this.#options.url}/generic/${account}`, {
        ...{ method: 'POST', dispatcher: this.#dispatcher, headersTimeout: answerLimitMs },
        headers: { 'content-type': 'application/json', 'x-webhook-secret': this.#options.secret },
        body: JSON.stringify({ id: `u-${n}`, type: 'order.created', note: 'x'.repeat(200) }),
      });
      const text = await body.text();
      sent.ackedMs = performance.now();
      sent.answer = String(statusCode);
      if (statusCode === 202) sent.eventId = accepted.parse(JSON.parse(text)).id;
      else sent.answer += ` ${text}`;
    } catch (error) {
      sent.answer = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    }
  }
}
