import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { BodyBudget } from '../../src/http/bodies/body-budget.ts';
import { BodyReader } from '../../src/http/bodies/body-reader.ts';
import { attacker, head } from '../support/attack.ts';
import { listen } from '../support/listen.ts';
import { forTest } from '../support/use.ts';

const bodies = new BodyReader({ budget: new BodyBudget(1024 * 1024), clientAddress: () => '127.0.0.1' });

test.each([
  ['closed its side', 'part', 'end'],
  ['reset the connection', 'part', 'resetAndDestroy'],
  ['sent the whole body and reset the connection', 'whole body', 'resetAndDestroy'],
] as const)('a body is refused if its client %s before it is read', async (_, sent, leave) => {
  const server = await forTest(createServer());
  const port = await listen(server);
  const requested = once(server, 'request');
  const { socket } = await attacker(`http://127.0.0.1:${port}`);
  socket.write(head('/', { length: 'whole body'.length }) + sent);
  const [request, response] = await requested;
  // `once` would listen for errors, too, and so change how Node destroys the request.
  const gone = new Promise((resolve) => request.once('close', resolve));
  socket[leave]();
  await gone;
  const read = bodies.read(request, response, 1024);
  await expect(Promise.race([read, 'waits'])).rejects.toMatchObject({ code: 'invalid' });
});
