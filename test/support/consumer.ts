import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { AdminClient } from './admin-client.ts';
import { listen } from './listen.ts';

export interface Delivery {
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  url: string;
  body: Buffer;
  atMs: number;
}

/** An answer to a delivery: a status, or a function that writes the response. */
export type Reply = number | ((response: ServerResponse, delivery: Delivery) => void);

export interface Consumer {
  url: string;
  port: number;
  deliveries: Delivery[];
  /** The next answers: each delivery takes one, and the last one is repeated. */
  replies: Reply[];
  /** Closes all connections, also those that wait for an answer. New connections are accepted. */
  hangUp(): void;
  close(): Promise<void>;
}

/** Starts a consumer on loopback that records its deliveries. */
export async function startConsumer(...replies: Reply[]): Promise<Consumer> {
  const consumer: Consumer = {
    url: '',
    port: 0,
    deliveries: [],
    replies: replies.length > 0 ? replies : [200],
    hangUp: () => server.closeAllConnections(),
    close: async () => undefined,
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers, rawHeaders, url } = request;
      const delivery = { headers, rawHeaders, url: url ?? '', body: Buffer.concat(chunks), atMs: Date.now() };
      consumer.deliveries.push(delivery);
      const reply = (consumer.replies.length > 1 ? consumer.replies.shift() : consumer.replies[0]) ?? 200;
      if (typeof reply === 'function') reply(response, delivery);
      else response.writeHead(reply).end();
    });
  });
  const port = await listen(server);
  consumer.port = port;
  consumer.url = `http://127.0.0.1:${port}/hook`;
  consumer.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return consumer;
}

/** A consumer that closes at the end of the test. */
export async function consumerForTest(...replies: Reply[]): Promise<Consumer> {
  const consumer = await startConsumer(...replies);
  onTestFinished(() => consumer.close());
  return consumer;
}

/** An account that delivers to a consumer of its own, which closes at the end of the test. */
export async function accountForTest(admin: Pick<AdminClient, 'createAccount'>, ...replies: Reply[]) {
  const consumer = await consumerForTest(...replies);
  return { consumer, account: await admin.createAccount({ delivery_url: consumer.url }) };
}
