import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { clientAddresses } from '../../src/http/admin/client-address.ts';
import type { TestGateway } from '../support/gateway.ts';
import { lacks } from '../support/may-skip/list.ts';
import { type RawRequest, rawRequest } from '../support/raw-http.ts';
import { useGateway } from '../support/use-gateway.ts';

/** The address that the audit entry of a request shows. */
async function addressOf(
  gateway: TestGateway,
  forwardedFor: string[],
  more: Partial<RawRequest> = {},
  baseUrl = gateway.baseUrl,
) {
  const headers = ['x-admin-token', gateway.adminToken, 'host', 'gateway.test'];
  for (const value of forwardedFor) headers.push('X-Forwarded-For', value);
  // A read of what exists is counted when it comes again; a failed one always has an entry.
  const answer = await rawRequest(baseUrl, { method: 'GET', path: `/admin/events/${randomUUID()}`, headers, ...more });
  expect(answer.status).toBe(404);
  const [entry] = await gateway.rows('select ip_address from audit_logs order by created_at desc, id desc limit 1');
  return entry?.ip_address;
}

test('the server starts with every value that TRUSTED_PROXIES accepts', () => {
  const texts = [
    '',
    '10.0.0.5',
    '10.0.0.0/8,0.0.0.0/1,128.0.0.0/1',
    '::1,2001:db8::/32,::ffff:10.0.0.1,::ffff:10.0.0.0/104',
  ];
  for (const text of texts) {
    const { trustedProxies } = readConfig('all', { TRUSTED_PROXIES: text });
    expect(() => clientAddresses(trustedProxies)).not.toThrow();
  }
});

describe('without trusted proxies', () => {
  const gateway = useGateway({ worker: false });
  test.each([[[]], [['']], [['192.0.2.1']], [['127.0.0.1']], [['192.0.2.1', '192.0.2.2']], [['garbage']]])(
    'the header %j is ignored: the peer is the client',
    async (header) => {
      expect(await addressOf(gateway, header)).toBe('127.0.0.1');
      expect(await addressOf(gateway, header, { localAddress: '127.0.0.9' })).toBe('127.0.0.9');
    },
  );
  test('other headers of proxies are ignored too', async () => {
    const names = ['forwarded', 'x-real-ip', 'x-client-ip', 'cf-connecting-ip', 'true-client-ip'];
    const headers = ['x-admin-token', gateway.adminToken, 'host', 'gateway.test'];
    for (const name of names) headers.push(name, name === 'forwarded' ? 'for=192.0.2.1' : '192.0.2.1');
    expect(await addressOf(gateway, [], { headers })).toBe('127.0.0.1');
  });
});

describe('with trusted proxies', () => {
  const gateway = useGateway({
    ...{ worker: false, host: '::' },
    trustedProxies: ['127.0.0.1', '10.0.0.0/8', '2001:db8:aaaa::/48', '::1'],
  });

  // A server that listens on :: sees the peer 127.0.0.1 as ::ffff:127.0.0.1.
  test.each<[name: string, header: string[], shown: string]>([
    ['nothing', [], '127.0.0.1'],
    ['an empty header', [''], '127.0.0.1'],
    ['only commas', [' , ,, '], '127.0.0.1'],
    ['one client', ['192.0.2.1'], '192.0.2.1'],
    ['a client behind two proxies', ['192.0.2.1, 10.1.2.3'], '192.0.2.1'],
    ['a client behind three proxies', ['192.0.2.1,10.1.2.3,2001:db8:aaaa::5'], '192.0.2.1'],
    ['an address that the client forged, then the one that the proxy saw', ['198.51.100.9, 192.0.2.1'], '192.0.2.1'],
    ['trusted addresses that the client forged', ['198.51.100.9, 10.0.0.1, 192.0.2.1'], '192.0.2.1'],
    ['proxies alone', ['10.0.0.1, 10.0.0.2'], '10.0.0.1'],
    ['garbage', ['garbage'], '127.0.0.1'],
    ['garbage behind a proxy', ['192.0.2.1, unknown, 10.0.0.1'], '10.0.0.1'],
    ['garbage further left than the client', ['<script>, 192.0.2.1'], '192.0.2.1'],
    ['an address that is too large', ['192.0.2.256'], '127.0.0.1'],
    ['a short form, which some parsers read as another address', ['10.1'], '127.0.0.1'],
    ['octal numbers', ['0300.0.2.1'], '127.0.0.1'],
    ['one number', ['3221225985'], '127.0.0.1'],
    ['a network', ['192.0.2.0/24'], '127.0.0.1'],
    ['a port', ['192.0.2.1:5000'], '192.0.2.1'],
    ['ports of proxies too', ['198.51.100.9, 192.0.2.1:5000, 10.1.2.3:443'], '192.0.2.1'],
    ['IPv6', ['2001:db8::1'], '2001:db8::1'],
    ['IPv6 in its long form', ['2001:0DB8:0000:0000:0000:0000:0000:0001'], '2001:db8::1'],
    ['IPv6 in brackets', ['[2001:db8::1]'], '2001:db8::1'],
    ['IPv6 with a port', ['[2001:db8::1]:5000'], '2001:db8::1'],
    ['an IPv6 proxy with a port', ['192.0.2.1, [2001:db8:aaaa::5]:443'], '192.0.2.1'],
    ['IPv4 written as IPv6', ['::ffff:192.0.2.1'], '192.0.2.1'],
    ['IPv4 written as IPv6 in hex', ['::ffff:c000:201'], '192.0.2.1'],
    ['a proxy written as IPv6', ['192.0.2.1, ::ffff:10.0.0.1'], '192.0.2.1'],
    ['spaces and tabs', ['  192.0.2.1 \t, 10.0.0.1  '], '192.0.2.1'],
    ['several headers, as one list', ['198.51.100.9', '192.0.2.1', '10.0.0.1'], '192.0.2.1'],
    ['1,000 proxies', [`192.0.2.1,${'10.0.0.1,'.repeat(1_000)}`], '192.0.2.1'],
    ['10,000 empty entries', [`192.0.2.1${','.repeat(10_000)}`], '192.0.2.1'],
    ['1,000 entries that the client forged', [`${'1.2.3.4,'.repeat(1_000)} 192.0.2.1`], '192.0.2.1'],
    ['quotes', [`192.0.2.1' or 1=1 --`], '127.0.0.1'],
  ])('%s', async (_name, header, shown) => {
    expect(await addressOf(gateway, header)).toBe(shown);
  });

  test('headers above the size limit are refused, and the next request is answered', async () => {
    const headers = { 'x-admin-token': gateway.adminToken, 'x-forwarded-for': '192.0.2.1,'.repeat(10_000) };
    // Node may close the connection before the request is sent completely; then there is no answer to read.
    const answer = await rawRequest(gateway.baseUrl, { method: 'GET', path: '/admin/accounts', headers }).catch(
      () => null,
    );
    expect([431, undefined]).toContain(answer?.status);
    expect(await addressOf(gateway, ['192.0.2.2'])).toBe('192.0.2.2');
  });

  test('a peer that is not a trusted proxy is the client', async () => {
    expect(await addressOf(gateway, ['192.0.2.1'], { localAddress: '127.0.0.9' })).toBe('127.0.0.9');
  });

  test.skipIf(lacks('ipv6'))('the header of a trusted IPv6 proxy is used', async () => {
    const overIPv6 = gateway.baseUrl.replace('127.0.0.1', '[::1]');
    expect(await addressOf(gateway, ['192.0.2.1'], {}, overIPv6)).toBe('192.0.2.1');
    expect(await addressOf(gateway, [], {}, overIPv6)).toBe('::1');
  });

  test('the audit entry of a refused request shows the same address', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.9, 192.0.2.77:1234' };
    await rawRequest(gateway.baseUrl, { method: 'GET', path: '/admin/accounts', headers });
    const denied = await gateway.rows("select actor, ip_address from audit_logs where action = 'auth.denied'");
    expect(denied).toEqual([{ actor: '192.0.2.77', ip_address: '192.0.2.77' }]);
  });
});
