import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Agent, fetch } from 'undici';
import { onTestFinished } from 'vitest';
import { listen } from '../support/listen.ts';
import { Balancer } from './balancer.ts';

export interface Backend {
  port: number;
  /** Requests other than checks, as `METHOD /path`. */
  requests: string[];
  last: IncomingMessage['headers'];
  /** Its open connections that had a request. */
  sockets: Set<Socket>;
  isReady: boolean;
  stop(): void;
  start(): Promise<void>;
}

/** A server in the place of an api. Without `handle` it answers 202 with the number of bytes that it has read. */
export async function backend(
  handle: (request: IncomingMessage, response: ServerResponse) => void = count,
): Promise<Backend> {
  const found: Backend = {
    port: 0,
    requests: [],
    last: {},
    isReady: true,
    sockets: new Set(),
    stop: () => close(),
    start,
  };
  let server: Server | null = null;
  function close(): void {
    server?.close();
    server?.closeAllConnections();
  }
  async function start(): Promise<void> {
    server = createServer((incoming, response) => {
      if (incoming.url === '/health/ready') return void response.writeHead(found.isReady ? 200 : 503).end();
      found.requests.push(`${incoming.method} ${incoming.url}`);
      found.last = incoming.headers;
      if (!found.sockets.has(incoming.socket))
        incoming.socket.once('close', () => found.sockets.delete(incoming.socket));
      found.sockets.add(incoming.socket);
      handle(incoming, response);
    });
    found.port = await listen(server, found.port);
  }
  await start();
  onTestFinished(close);
  return found;
}

function count(incoming: IncomingMessage, response: ServerResponse): void {
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  incoming.on('end', () => response.writeHead(202).end(String(bytes)));
}

/** A balancer before these backends, and a sender with one connection that stays open. */
export async function balanced(...backends: Backend[]) {
  const balancer = new Balancer(backends.map(({ port }) => port));
  const port = await balancer.listen();
  const dispatcher = new Agent({ connections: 1, pipelining: 1 });
  onTestFinished(async () => {
    balancer.close();
    await dispatcher.destroy();
  });
  const url = `http://127.0.0.1:${port}`;
  const post = (path = '/generic/shop', body = '{}') => fetch(url + path, { method: 'POST', body, dispatcher });
  return { balancer, url, post };
}
