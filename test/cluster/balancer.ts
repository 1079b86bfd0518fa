import {
  Agent,
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../support/listen.ts';
import { Backends } from './backends.ts';

/** A refused connection is tried at other backends for so long. A rolling upgrade may delay no webhook by more than 2 s. */
const connectLimitMs = 2_000;
/** Between two rounds over all backends when each of them refused the connection. */
const roundPauseMs = 25;
/** As nginx of docker-compose.yml: longer than a sender pauses between two webhooks. */
const keepAliveMs = 75_000;
/** Also as that nginx: shorter than the 75 s after which an api closes an idle connection. */
const backendKeepAliveMs = 60_000;
/** Larger than any head that the gateway accepts, so that the gateway decides. */
const maxHeaderBytes = 64 * 1024;

/** Headers between two neighbours (RFC 9110, section 7.6.1), which a proxy does not pass on. */
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade']);
/** Headers that name the client. The gateway believes the balancer, so a client's own must not pass. */
const namesClient = new Set(['x-forwarded-for', 'x-real-ip', 'forwarded']);

/** What a balancer has done since its start. */
export interface BalancerCounts {
  /** Requests that a backend answered. */
  forwarded: number;
  /** Connections that a backend refused, after which another one was tried. */
  retried: number;
  /** Requests answered 503 because no backend accepted a connection in time. */
  refused: number;
  /** Requests whose backend closed the connection before its answer. They are answered 502 and not sent again. */
  broken: number;
  /** Connections to backends that were opened. */
  opened: number;
}

/**
 * One address before several apis, as nginx is in docker-compose.yml: HTTP/1.1 on loopback, without TLS.
 *
 * Requests go to the healthy backends round-robin, over connections that stay open. A connection that is refused is tried
 * at the next backend. A request that was sent is never sent again, because the backend may have committed it, also if it
 * closed a kept connection at that moment. So the sender's own connection stays open while backends come and go.
 * `/metrics` is not forwarded.
 */
export class Balancer {
  readonly counts: BalancerCounts = { forwarded: 0, retried: 0, refused: 0, broken: 0, opened: 0 };
  readonly #backends: Backends;
  readonly #agent = new Agent({ keepAlive: true, timeout: backendKeepAliveMs });
  readonly #server = createServer(
    { maxHeaderSize: maxHeaderBytes, keepAliveTimeout: keepAliveMs, requestTimeout: 0, noDelay: true },
    (request, response) => void this.#forward(request, response),
  );

  /** @param ports where the apis listen on 127.0.0.1 */
  constructor(ports: readonly number[]) {
    this.#backends = new Backends(ports);
  }

  /** Checks the backends once and listens on `port`, or on any free one. Returns the port. */
  async listen(port = 0): Promise<number> {
    await this.#backends.start();
    return listen(this.#server, port);
  }

  /**
   * Replaces the backends, and resolves when the new ones have been checked. Requests in flight are answered by the
   * backend that has them.
   */
  use(ports: readonly number[]): Promise<void> {
    return this.#backends.use(ports);
  }

  /** The ports whose last check of `/health/ready` succeeded. */
  get healthy(): number[] {
    return this.#backends.healthy;
  }

  /** Closes all connections at once. */
  close(): void {
    this.#backends.stop();
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (pathOf(request.url ?? '') === '/metrics') return answer(response, 404, 'not_found');
    const outgoing = await this.#connected(request, response);
    if (response.destroyed) return void outgoing?.destroy();
    if (outgoing === null) {
      this.counts.refused += 1;
      return answer(response, 503, 'no_backend');
    }
    response.once('close', () => outgoing.destroy());
    outgoing.once('response', (incoming) => {
      this.counts.forwarded += 1;
      incoming.once('error', () => response.destroy());
      const sent = passed(incoming.rawHeaders, (name) => !hopByHop.has(name) && name !== 'transfer-encoding');
      response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, sent);
      // The head of a stream of events must not wait for the first event.
      response.flushHeaders();
      incoming.pipe(response);
    });
    outgoing.on('error', () => {
      // After its answer, a backend may close without having read the rest of a body.
      if (response.headersSent || response.destroyed) return;
      this.counts.broken += 1;
      answer(response, 502, 'backend_closed');
    });
    request.pipe(outgoing);
  }

  /**
   * A request with a connection to the next backend that accepts one, of which nothing was sent; null when none did within
   * the limit.
   */
  async #connected(request: IncomingMessage, response: ServerResponse): Promise<ClientRequest | null> {
    const options = {
      ...{ host: '127.0.0.1', agent: this.#agent, method: request.method, path: request.url, setHost: false },
      headers: [
        ...passed(request.rawHeaders, (name) => !hopByHop.has(name) && !namesClient.has(name)),
        ...['X-Forwarded-For', request.socket.remoteAddress ?? ''],
      ],
    };
    for (const endMs = performance.now() + connectLimitMs; ; await sleep(roundPauseMs)) {
      for (const port of this.#backends.roundRobin()) {
        const outgoing = httpRequest({ ...options, port });
        if ((await hasConnection(outgoing)) && !outgoing.destroyed) {
          if (!outgoing.reusedSocket) this.counts.opened += 1;
          return outgoing;
        }
        this.#backends.refused(port);
        this.counts.retried += 1;
      }
      if (performance.now() > endMs || response.destroyed) return null;
    }
  }
}

/** The path without its escapes, also of an absolute URL, so that no other spelling of a path passes. */
function pathOf(target: string): string {
  try {
    return decodeURIComponent(new URL(target, 'http://balancer').pathname);
  } catch {
    return target;
  }
}

/** Whether a request has a connection, new or kept; false if a new one was refused. Node sends no byte of it before that. */
function hasConnection(outgoing: ClientRequest): Promise<boolean> {
  return new Promise((resolve) => {
    outgoing.once('error', () => resolve(false));
    outgoing.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => resolve(true));
      else resolve(!socket.destroyed);
    });
  });
}

/** The headers whose lower-case name is accepted, in their order and as often as they came. */
function passed(raw: readonly string[], accepts: (name: string) => boolean): string[] {
  return raw.flatMap((name, n) => (n % 2 === 0 && accepts(name.toLowerCase()) ? [name, raw[n + 1] ?? ''] : []));
}

function answer(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, {
    'content-type': 'application/problem+json',
    ...(status === 503 ? { 'retry-after': '1' } : {}),
  });
  response.end(JSON.stringify({ type: 'about:blank', title: 'The balancer has no answer', status, code }));
}
