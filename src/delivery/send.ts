import { Agent, type Dispatcher } from 'undici';
import { createAddressGuard } from './address-guard.ts';
import { type Answer, AnswerReader } from './answer.ts';
import { createConnector } from './connector.ts';
import { DeliveryFailure, describeBrokenExchange, duration, type FailureOutcome } from './failure.ts';
import type { Header } from './headers.ts';
import { createGuardedLookup, type Lookup, systemLookup } from './lookup.ts';
import { parseTarget, type Target } from './target.ts';

export type SendRequest = {
  /** Absolute, http: or https:. A user and password in it become Basic authentication. */
  url: string;
  /** As `deliveryHeaders` makes them: valid, without `host` and `content-length`. */
  headers: readonly Header[];
  body: Uint8Array;
  /** For everything together: DNS, connecting, TLS, sending and reading the answer. */
  timeLimitMs: number;
};

type Timed = { durationMs: number };

export type SendResult =
  | (Answer & Timed)
  | ({ outcome: FailureOutcome; responseCode: null; responseBody: null; retryAfterMs: null; error: string } & Timed);

export type Sender = {
  /** Makes one POST. Never rejects: whatever goes wrong is an outcome. */
  post(request: SendRequest): Promise<SendResult>;
  /** Waits for the posts in flight, then closes all connections. */
  close(): Promise<void>;
};

export type SenderOptions = {
  /** CIDRs that may be delivered to although they are not public. */
  allowedNetworks: readonly string[];
  /**
   * Most connections to one scheme, host and port. None by default: posts that wait for a connection lose time of their
   * limit, and accounts that share a host would wait for each other. Callers bound the posts of each account.
   */
  connectionsPerOrigin?: number;
  lookup?: Lookup;
};

/** Ends an exchange that needs nothing more; the connection goes with it. */
const enough = new DeliveryFailure('connection_error', 'the rest of the answer is not read');

/**
 * One POST on its way. Written against undici's dispatch interface, with a timer of its own: 0.03 ms of CPU a post on
 * loopback (1 KiB, 64 at a time), where `request()` with `AbortSignal.timeout` took 0.05 ms and `fetch` 0.24 ms.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #agent: Agent;
  readonly #options: Dispatcher.DispatchOptions;
  readonly #peer: string;
  readonly #mayRetry: (error: Error) => boolean;
  readonly #settle: (result: SendResult) => void;
  readonly #answer: AnswerReader;
  readonly #startedMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #answered = false;
  #retried = false;
  #done = false;

  constructor(
    agent: Agent,
    target: Target & { ok: true },
    { headers, body, timeLimitMs }: SendRequest,
    mayRetry: (error: Error) => boolean,
    settle: (result: SendResult) => void,
  ) {
    const flat = headers.flat();
    if (target.authorization !== null) flat.push('authorization', target.authorization);
    this.#agent = agent;
    this.#options = { origin: target.origin, path: target.path, method: 'POST', headers: flat, body };
    this.#peer = target.peer;
    this.#mayRetry = mayRetry;
    this.#settle = settle;
    this.#answer = new AnswerReader(target.peer, target.origin);
    this.#timer = setTimeout(() => this.#timeOut(timeLimitMs), timeLimitMs);
  }

  dispatch(): void {
    try {
      this.#agent.dispatch(this.#options, this);
    } catch (error) {
      this.#end(error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The time was up while the connection was being made: nothing is sent any more.
    if (this.#done) controller.abort(enough);
  }

  onResponseStarted(): void {
    this.#answered = true;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    code: number,
    headers: Record<string, string | string[] | undefined>,
  ) {
    // 103 and the like come before the answer.
    if (code >= 200) this.#answer.start(code, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#answer.take(chunk)) return;
    this.#end(enough);
    controller.abort(enough);
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  /**
   * A consumer may close an idle connection just as it is used again; the request then never was with anybody, most
   * likely. It is made once more at once, within the same attempt and time limit. Should the consumer have had it after
   * all, its `webhook-id` tells: delivery is at least once anyhow.
   */
  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#done) return;
    if (!this.#retried && !this.#answered && this.#mayRetry(error)) {
      this.#retried = true;
      this.#controller = null;
      this.dispatch();
    } else {
      this.#end(error);
    }
  }

  #timeOut(timeLimitMs: number): void {
    const failing = this.#controller ? 'did not answer' : 'could not be connected to';
    this.#end(new DeliveryFailure('timeout', `${this.#peer} ${failing} within ${duration(timeLimitMs)}`));
    this.#controller?.abort(enough);
  }

  /** Settles, once, with the answer as far as it came, else with `error`. */
  #end(error: unknown): void {
    if (this.#done) return;
    this.#done = true;
    clearTimeout(this.#timer);
    const durationMs = Math.round(performance.now() - this.#startedMs);
    const answer = this.#answer.result();
    this.#settle(answer ? { ...answer, durationMs } : failed(describeBrokenExchange(error, this.#peer), durationMs));
  }
}

function failed({ outcome, message }: DeliveryFailure, durationMs: number): SendResult {
  return { outcome, responseCode: null, responseBody: null, retryAfterMs: null, durationMs, error: message };
}

/**
 * Makes the client that delivers events. Connections are kept alive for 4 s, as undici does by default: less than the usual
 * 5 s and more of servers. HTTP/1.1 only, one request a connection at a time, so that one slow answer holds up no other.
 *
 * @throws Error when `allowedNetworks` holds something that is no CIDR
 */
export function createSender({ allowedNetworks, connectionsPerOrigin, lookup = systemLookup }: SenderOptions): Sender {
  const guard = createAddressGuard(allowedNetworks);
  const connector = createConnector(createGuardedLookup(lookup, guard), guard);
  const agent = new Agent({
    connect: connector.connect,
    connections: connectionsPerOrigin ?? null,
    pipelining: 1,
    allowH2: false,
    // Consumers may ask for longer, but an idle connection for each of thousands is not free.
    keepAliveMaxTimeout: 60_000,
    // The exchange's own timer covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const inFlight = new Set<Promise<SendResult>>();

  return {
    post(request) {
      const target = parseTarget(request.url);
      if (!target.ok) return Promise.resolve(failed(new DeliveryFailure('invalid_url', target.error), 0));
      const result = new Promise<SendResult>((resolve) => {
        new Exchange(agent, target, request, connector.endedReusedConnection, resolve).dispatch();
      });
      inFlight.add(result);
      result.finally(() => inFlight.delete(result));
      return result;
    },
    async close() {
      await Promise.all(inFlight);
      connector.destroyPending();
      await agent.destroy();
    },
  };
}
