import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { consumer, hook, sender } from './servers.ts';

const listed = 'DELIVERY_ALLOWED_NETWORKS does not list it';
const closedTo = (...addresses: string[]) => {
  const asked: string[] = [];
  const lookup = async (hostname: string) => {
    asked.push(hostname);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, lookup };
};

describe('an address in the URL', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1 is a loopback address'],
    ['2130706433', '127.0.0.1 is a loopback address'],
    ['0x7f.1', '127.0.0.1 is a loopback address'],
    ['0177.0.0.1', '127.0.0.1 is a loopback address'],
    ['127.1', '127.0.0.1 is a loopback address'],
    ['[::1]', '::1 is a loopback address'],
    ['[::ffff:127.0.0.1]', '::ffff:7f00:1 is a loopback address'],
    ['[::127.0.0.1]', '::7f00:1 is a loopback address'],
    ['[64:ff9b::127.0.0.1]', '64:ff9b::7f00:1 is a loopback address'],
    ['0.0.0.0', '0.0.0.0 is an unspecified address'],
    ['10.0.0.5', '10.0.0.5 is a private address'],
    ['169.254.169.254', '169.254.169.254 is a cloud metadata address'],
  ])('%s is refused', async (host, error) => {
    const { port, seen } = await consumer((response) => response.end());
    for (const scheme of ['http', 'https']) {
      expect(await sender({ allowedNetworks: [] }).post(hook(`${scheme}://${host}:${port}/`))).toMatchObject({
        outcome: 'address_refused',
        responseCode: null,
        error: `${error}; ${listed}`,
      });
    }
    expect(seen).toEqual([]);
  });
});

describe('a host name', () => {
  test('that resolves to a private address is refused', async () => {
    const { lookup } = closedTo('10.0.0.5', 'fd00::1');
    expect(await sender({ lookup }).post(hook('https://consumer.example/hook?token=1'))).toMatchObject({
      outcome: 'address_refused',
      error: `consumer.example resolves to 10.0.0.5, a private address; ${listed}`,
    });
  });

  test('of this machine is refused where loopback is not allowed', async () => {
    const { port, seen } = await consumer((response) => response.end());
    const result = await sender({ allowedNetworks: ['10.0.0.0/8'] }).post(hook(`http://localhost:${port}/`));
    expect(result.outcome).toBe('address_refused');
    expect(result.error).toMatch(/^localhost resolves to (127\.0\.0\.1|::1), a loopback address; /);
    expect(seen).toEqual([]);
  });

  test('with several addresses is reached at the allowed ones', async () => {
    const { port } = await consumer((response) => response.end());
    const { lookup } = closedTo('10.0.0.5', '169.254.169.254', '127.0.0.1');
    expect(await sender({ lookup }).post(hook(`http://consumer.example:${port}/`))).toMatchObject({
      outcome: 'delivered',
    });
  });

  test('whose addresses change is checked at every connection', async () => {
    const { port } = await consumer((response) => response.writeHead(200, { connection: 'close' }).end());
    const answers = ['127.0.0.1', '10.0.0.5'];
    const { post } = sender({ lookup: async () => [{ address: answers.shift() ?? '', family: 4 }] });
    expect((await post(hook(`http://consumer.example:${port}/`))).outcome).toBe('delivered');
    expect((await post(hook(`http://consumer.example:${port}/`))).outcome).toBe('address_refused');
  });

  test('without an address is an error', async () => {
    const { lookup } = closedTo();
    expect(await sender({ lookup }).post(hook('http://consumer.example/'))).toMatchObject({
      outcome: 'dns_failure',
      error: 'consumer.example could not be resolved: the name has no address',
    });
  });

  test('is resolved once for connections that start together', async () => {
    const { port } = await consumer((response) => response.end());
    const { asked, lookup } = closedTo('127.0.0.1');
    const { post } = sender({ lookup });
    await Promise.all(Array.from({ length: 20 }, () => post(hook(`http://consumer.example:${port}/`))));
    expect(asked).toEqual(['consumer.example']);
  });

  test('whose name servers do not answer leaves lookups to other names', async () => {
    const { port } = await consumer((response) => response.end());
    const asked: string[] = [];
    // Each lookup takes longer than name servers take to say that there is no such name.
    let answer: () => Promise<unknown> = () => setTimeout(1_100);
    const lookup = async (hostname: string) => {
      if (hostname === 'other.example') return [{ address: '127.0.0.1', family: 4 }];
      asked.push(hostname);
      await answer();
      throw Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' });
    };
    const { post } = sender({ lookup });
    const urls = Array.from({ length: 10 }, (_, n) => `http://silent-${n}.example:${port}/`);
    const askAll = () => Promise.all(urls.map(async (url) => (await post(hook(url))).outcome));
    const failures = urls.map(() => 'dns_failure');
    expect(await askAll()).toEqual(failures);
    expect(asked.splice(0)).toHaveLength(10);

    const askWhileSilent = async (lookupsAtOnce: number) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      answer = () => promise;
      const outcomes = askAll();
      expect((await post(hook(`http://other.example:${port}/`))).outcome).toBe('delivered');
      expect(asked).toHaveLength(lookupsAtOnce);
      resolve();
      expect(await outcomes).toEqual(failures);
      expect(asked.splice(0)).toHaveLength(10);
    };
    await askWhileSilent(3);
    // As they failed at once, they are like all others.
    await askWhileSilent(10);
  });
});
