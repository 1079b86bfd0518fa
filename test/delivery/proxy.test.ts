import { createServer } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { createTunnels, deliveryProxyMistake, noProxyMistake } from '../../src/delivery/connections/proxy.ts';
import { listenForTest } from '../support/listen-for-test.ts';
import { newAuthority } from '../support/tls/certificates.ts';

describe('which hosts are reached without the proxy', () => {
  const { isFor } = createTunnels({
    url: 'http://proxy.test:3128',
    except: ['intern.test', '.sub.example', '10.0.0.0/8', '192.0.2.7', 'fd00::/8'],
  });
  test.each<[string, string[], boolean]>([
    ['intern.test', ['1.1.1.1'], false],
    ['api.INTERN.test.', ['1.1.1.1'], false],
    ['notintern.test', ['1.1.1.1'], true],
    ['a.sub.example', ['1.1.1.1'], false],
    ['sub.example', ['1.1.1.1'], false],
    ['a.test', ['10.1.2.3'], false],
    ['a.test', ['10.1.2.3', '1.1.1.1'], true],
    ['192.0.2.7', ['192.0.2.7'], false],
    ['192.0.2.8', ['192.0.2.8'], true],
    ['a.test', ['fd00::1'], false],
    ['a.test', ['::ffff:10.1.2.3'], false],
  ])('%s at %j', (hostname, addresses, through) => expect(isFor(hostname, addresses)).toBe(through));
});

test.each([
  ['http://proxy.test:3128', true],
  ['https://user:password@proxy.test', true],
  ['proxy.test:3128', false],
  ['socks5://proxy.test', false],
  ['http://proxy.test/path', false],
  ['', false],
])('DELIVERY_PROXY %s', (url, fits) => expect(deliveryProxyMistake(url) === null).toBe(fits));

test.each([
  ['intern.test', true],
  ['.intern.test', true],
  ['10.0.0.0/8', true],
  ['::1', true],
  ['http://intern.test', false],
  ['*.intern.test', false],
  ['10.0.0.0/99', false],
])('DELIVERY_NO_PROXY %s', (part, fits) => expect(noProxyMistake(part) === null).toBe(fits));

test('a proxy with TLS is addressed by its own name', async () => {
  const names: string[] = [];
  const certificate = await (await newAuthority()).issue({ hosts: ['localhost'] });
  const server = createServer({
    ...certificate,
    SNICallback: (name, callback) => {
      names.push(name);
      callback(null);
    },
  });
  const port = await listenForTest(server);
  const tunnels = createTunnels({ url: `https://localhost:${port}`, except: [] });
  // Its certificate is of an authority that is not trusted here.
  await expect(tunnels.open(['192.0.2.1'], 443, AbortSignal.timeout(10_000))).rejects.toMatchObject({
    ...{ outcome: 'proxy_error', message: expect.stringContaining(`the proxy localhost:${port} failed`) },
  });
  expect(names).toEqual(['localhost']);
});
