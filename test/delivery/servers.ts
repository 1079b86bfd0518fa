import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';
import type { SendRequest } from '../../src/delivery/exchange.ts';
import { createSender, type Sender, type SenderOptions } from '../../src/delivery/send.ts';
import { listenForTest } from '../support/listen-for-test.ts';

export type Seen = { rawHeaders: string[]; body: Buffer; path: string; method: string; socket: Socket };

/** A consumer that reads each request completely before it answers. */
export async function consumer(answer: (response: http.ServerResponse, seen: Seen) => void, host = '127.0.0.1') {
  const seen: Seen[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { rawHeaders, socket, url = '', method = '' } = request;
    const one = { rawHeaders, body: Buffer.concat(chunks), path: url, method, socket };
    seen.push(one);
    answer(response, one);
  });
  const port = await listenForTest(server, host);
  return { seen, server, port, url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/hook` };
}

/** An https consumer with a self-signed certificate for `localhost`. */
export async function selfSignedConsumer() {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...{ keyType: 'ec', curve: 'P-256', algorithm: 'sha256' },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const resumed: boolean[] = [];
  const server = https.createServer({ key, cert }, (request, response) => {
    if (request.socket instanceof TLSSocket) resumed.push(request.socket.isSessionReused());
    response.writeHead(200, { connection: 'close' }).end('secure');
  });
  return { port: await listenForTest(server), cert, resumed };
}

/** No process ever listens on it. A port that is merely free now could be given to another test. */
export const closedPort = 1;

/** A sender that may reach loopback and is closed when the test is over. */
export function sender(options: Partial<SenderOptions> = {}): Sender {
  const made = createSender({ allowedNetworks: ['127.0.0.0/8', '::1/128'], ...options });
  onTestFinished(() => made.close());
  return made;
}

export const hook = (url: string, more: Partial<SendRequest> = {}): SendRequest => ({
  url,
  headers: [['content-type', 'application/json']],
  body: Buffer.from('{"a":1}'),
  timeLimitMs: 60_000,
  nowMs: Date.now,
  ...more,
});
