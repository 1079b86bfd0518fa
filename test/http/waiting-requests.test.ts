import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { BodyBudget } from '../../src/http/bodies/body-budget.ts';
import { BodyReader } from '../../src/http/bodies/body-reader.ts';
import { serve } from '../../src/http/serve.ts';
import { attacker } from '../support/attack.ts';
import { log } from '../support/runtime.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';

const request = 'GET / HTTP/1.1\r\nhost: gateway\r\n\r\n';
/** Node reads at most so many bytes of a connection at a time. */
const mostInRead = 64 * 1024;
const answersIn = (text: string) => text.split('HTTP/1.1 200 ').length - 1;

/** The connections that servers of this process accept. */
function acceptedSockets(): Socket[] {
  const accepted: Socket[] = [];
  // https://nodejs.org/api/diagnostics_channel.html#built-in-channels
  const take = (message: unknown) => accepted.push((message as { socket: Socket }).socket);
  subscribe('net.server.socket', take);
  onTestFinished(() => {
    unsubscribe('net.server.socket', take);
  });
  return accepted;
}

/** Serves requests of which only the first is answered until `answer` is called. */
async function serveWaiting(): Promise<{ baseUrl: string; asked: Promise<void>; answer(): void }> {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let requests = 0;
  const app = {
    compile: () => undefined,
    async fetch() {
      requests++;
      if (requests > 1) {
        asked.resolve();
        await answered.promise;
      }
      return new Response('answered');
    },
  };
  const bodies = new BodyReader({ budget: new BodyBudget(1), clientAddress: () => '' });
  const server = await forTest(serve(app, { host: '127.0.0.1', port: 0, bodies, maxConnections: 10, log }));
  return { baseUrl: `http://127.0.0.1:${server.port}`, asked: asked.promise, answer: () => answered.resolve() };
}

test('while a request waits for its answer, no more is read than what came with it; later all are answered', async () => {
  const accepted = acceptedSockets();
  const server = await serveWaiting();
  const { socket, received } = await attacker(server.baseUrl, { reads: true });
  const count = Math.ceil((2 * mostInRead) / request.length);
  socket.write(request.repeat(count));
  await server.asked;
  // Enough turns of the event loop for a connection that is read.
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(accepted).toHaveLength(1);
  expect(accepted[0]?.bytesRead).toBeLessThanOrEqual(mostInRead);
  server.answer();
  await until('all requests are answered', () => answersIn(received()) === count);
});
