import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { attacker, head, mib, oneByteChunks } from '../support/attack.ts';
import { startGateway } from '../support/gateway.ts';
import type { TestGatewayOptions } from '../support/gateway-options.ts';
import { eventsOf } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { forTest, useForAll } from '../support/use.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });
const account = useForAll(() => gateway.admin.createAccount({}));

const path = () => `/generic/${account.account_slug}`;
const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nhost: gateway\r\n${more}\r\n`;
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
const closing = 'connection: close\r\n';

/** Sends bytes on one connection and returns what comes until the gateway closes it. */
async function talk(...parts: (string | Buffer)[]): Promise<string> {
  const { socket, received, closed } = await attacker(gateway.baseUrl, { reads: true });
  for (const part of parts) socket.write(part);
  await closed;
  return received();
}

describe('legal HTTP', () => {
  test('a thousand requests in one write are answered in their order', async () => {
    const targets = Array.from({ length: 999 }, (_, n) => (n % 3 === 0 ? '/nothing/here/at-all' : '/health/live'));
    const text = await talk(targets.map((target) => get(target)).join('') + get('/health/live', closing));
    const wanted = targets.map((target) => (target === '/health/live' ? 200 : 404));
    expect(statuses(text)).toEqual([...wanted, 200]);
  });

  test('webhooks in one write are all stored, with any framing', async () => {
    const own = await gateway.admin.createAccount({});
    const target = `/generic/${own.account_slug}`;
    const text = await talk(
      `${head(target, { length: 3 })}one`,
      `${head(target, 'chunked')}5;name=value\r\n\r\n\r\na\r\n0\r\ntrailer: x\r\n\r\n`,
      `${head(target, { length: 5 }, closing)}three`,
    );
    expect(statuses(text)).toEqual([202, 202, 202]);
    const stored = await eventsOf(gateway.database, own.id);
    expect(stored.map((event) => event.body.toString()).sort()).toEqual(['\r\n\r\na', 'one', 'three']);
  });

  test('a head and its body may come byte by byte', async () => {
    const { socket, received, closed } = await attacker(gateway.baseUrl, { reads: true });
    for (const byte of `${head(path(), { length: 3 })}abc${get('/health/live', closing)}`) {
      socket.write(byte);
      await new Promise(setImmediate);
    }
    await closed;
    expect(statuses(received())).toEqual([202, 200]);
  });

  test('requests in one stream may be cut at any place', async () => {
    const own = await gateway.admin.createAccount({});
    const target = `/generic/${own.account_slug}`;
    // A body that looks like the head of a request, a body without a line break, each followed by a GET, and chunks.
    const bodies = ['GET /health/live HTTP/1.1\r\nhost: a\r\n\r\n', 'plain', 'a\r', '\r\n\r\n'];
    const stream = Buffer.from(
      [
        ...bodies.map((body) => `${head(target, { length: body.length })}${body}${get('/nothing/here/at-all')}`),
        `${head(target, 'chunked')}5\r\nchunk\r\n0\r\n\r\n`,
        get('/health/live', closing),
      ].join(''),
    );
    const wanted = [...bodies.flatMap(() => [202, 404]), 202, 200];
    const atOnce = 50;
    for (let first = 1; first < stream.length; first += atOnce) {
      const cuts = Array.from({ length: Math.min(atOnce, stream.length - first) }, (_, n) => first + n);
      const answers = cuts.map(async (cut) => {
        const { socket, received, closed } = await attacker(gateway.baseUrl, { reads: true });
        socket.setNoDelay().write(stream.subarray(0, cut));
        // In most cases the gateway has read the first part before the second part arrives.
        await sleep(5);
        socket.write(stream.subarray(cut));
        await closed;
        return { cut, statuses: statuses(received()) };
      });
      expect(await Promise.all(answers)).toEqual(cuts.map((cut) => ({ cut, statuses: wanted })));
    }
    const stored = await eventsOf(gateway.database, own.id);
    const counts = Map.groupBy(stored, (event) => event.body.toString());
    expect(new Map([...counts].map(([body, { length }]) => [body, length]))).toEqual(
      new Map([...bodies, 'chunk'].map((body) => [body, stream.length - 1])),
    );
  });

  test('a connection is kept after a small body that was not read', async () => {
    const text = await talk(`${head('/generic/nobody', { length: 5 })}12345${get('/health/live', closing)}`);
    expect(statuses(text)).toEqual([404, 200]);
  });

  test.each([
    ['an address that exists', () => path(), [100, 202]],
    ['an address that does not exist', () => '/generic/nobody', [404]],
  ])('for %s, 100 Continue is sent only if the body will be read', async (_name, target, wanted) => {
    const { socket, received, closed } = await attacker(gateway.baseUrl, { reads: true });
    socket.write(head(target(), { length: 3 }, `expect: 100-continue\r\n${closing}`));
    await until('the gateway says something', () => received().includes('HTTP/1.1 '));
    if (wanted[0] === 100) socket.write('abc');
    else socket.end();
    await closed;
    expect(statuses(received())).toEqual(wanted);
  });

  test.each([
    ['declared', { length: 8 * mib }, Buffer.alloc(8 * mib)],
    [
      'chunked',
      'chunked' as const,
      Buffer.concat([Buffer.from('800000\r\n'), Buffer.alloc(8 * mib), Buffer.from('\r\n0\r\n\r\n')]),
    ],
  ])('a client that sends a large %s body to the end reads why it is refused', async (_name, framing, body) => {
    expect(statuses(await talk(head(path(), framing), body))).toEqual([413]);
  });
});

describe('what is refused', () => {
  test('a body in pieces of one byte', async () => {
    const text = await talk(head(path(), 'chunked'), oneByteChunks(20_000));
    expect(statuses(text)).toEqual([413]);
    expect(text).toContain('too many pieces');
  });

  test.each(['/generic/nobody', '/nobody/nothing', '/admin/accounts', '/admin/nothing', '/openapi'])(
    'a body for %s, without waiting for the rest of it',
    async (target) => {
      const { socket, received } = await attacker(gateway.baseUrl, { reads: true });
      socket.write(head(target, { length: mib }));
      await until('the gateway answers', () => received().includes('\r\n\r\n{'));
      expect(statuses(received())[0]).toBeOneOf([401, 404, 405, 429]);
    },
  );
});

async function ownGateway(options: TestGatewayOptions) {
  const own = await forTest(startGateway({ worker: false, ...options }));
  return own;
}

test('above MAX_BODY_BYTES_IN_FLIGHT a client gets 503, others are served, and the memory is released', async () => {
  const own = await ownGateway({ maxBodyBytesInFlight: 4 * mib });
  const target = await own.admin.createAccount({});
  const address = `/generic/${target.account_slug}`;
  const first = await attacker(own.baseUrl, { localAddress: '127.0.0.2', reads: true });
  first.socket.write(head(address, { length: mib }));
  first.socket.write(Buffer.alloc(mib - 1));
  const second = await attacker(own.baseUrl, { localAddress: '127.0.0.2', reads: true });
  // Together more than a quarter of 4 MiB: the second body is refused, or displaces the first one once that stalls.
  second.socket.write(head(address, { length: 300_000 }) + 'a'.repeat(299_999));
  const refusal = await until('one of the two is refused', () => first.received() || second.received() || null);
  expect(statuses(refusal)[0]).toBe(503);
  expect(refusal.toLowerCase()).toContain('retry-after: 5');
  await until('the body has the code', () => `${first.received()}${second.received()}`.includes('"code":"overloaded"'));
  expect((await own.send(target, 'x'.repeat(500_000))).status).toBe(202);
  for (const { socket } of [first, second]) socket.destroy();
  await until('the memory is released', async () => {
    const again = await attacker(own.baseUrl, { localAddress: '127.0.0.2', reads: true });
    again.socket.write(head(address, { length: mib }, closing) + 'a'.repeat(mib));
    await again.closed;
    return statuses(again.received())[0] === 202;
  });
});

// A server that listens on :: sees the peer 127.0.0.2 as ::ffff:127.0.0.2.
test.each(['127.0.0.1', '::'])(
  'at MAX_CONNECTIONS on %s, idle connections of the network with the most connections are closed',
  async (host) => {
    const own = await ownGateway({ host, maxConnections: 5 });
    const idle = await attacker(own.baseUrl, { localAddress: '127.0.0.3' });
    const crowd = [];
    for (let n = 0; n < 8; n++) crowd.push(await attacker(own.baseUrl, { localAddress: '127.0.0.2', reads: true }));
    for (let n = 0; n < 3; n++)
      expect((await fetch(`${own.baseUrl}/health/live`, { headers: { connection: 'close' } })).status).toBe(200);
    await crowd[0]?.closed;
    expect(idle.socket.destroyed).toBe(false);
    idle.socket.resume();
    idle.socket.write(get('/health/live', closing));
    const [answer] = await once(idle.socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  },
);
