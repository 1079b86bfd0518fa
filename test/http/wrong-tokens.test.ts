import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WrongTokens } from '../../src/http/admin/wrong-tokens.ts';
import { startGateway } from '../support/gateway.ts';
import { rawRequest } from '../support/raw-http.ts';
import { useGateway } from '../support/use-gateway.ts';

const others = [
  { name: 'ann', token: 'token-of-ann' },
  { name: 'bob@example.test', token: 'a:b:c:d:e' },
];
const gateway = useGateway({ worker: false, trustedProxies: ['127.0.0.1'], adminTokens: others });

/** One request from an address with a token; undefined sends none. */
const ask = (address: string, token?: string, path = '/admin/accounts', method = 'GET') =>
  rawRequest(gateway.baseUrl, {
    ...{ method, path },
    headers: { 'x-forwarded-for': address, ...(token === undefined ? {} : { 'x-admin-token': token }) },
  });
const entriesOf = (address: string) =>
  gateway.rows('select actor, action, details from audit_logs where ip_address = $1 order by id', [address]);
const denials = async (address: string) =>
  (await entriesOf(address))
    .filter(({ action }) => action === 'auth.denied')
    .map(({ details }) => details.status)
    .sort();
const times = (count: number, status: number) => Array<number>(count).fill(status);

test('ten wrong tokens of an address are 401, more are 429 with Retry-After; a right token always passes', async () => {
  const address = '192.0.2.1';
  for (let n = 1; n <= 10; n++) {
    const answer = await ask(address, `wrong-${n}`);
    expect([n, answer.status, answer.body.code]).toEqual([n, 401, 'unauthorized']);
    expect((await ask(address, gateway.adminToken)).status).toBe(200);
  }
  for (let n = 11; n <= 15; n++) {
    const answer = await ask(address, `wrong-${n}`);
    expect([n, answer.status, answer.body.code]).toEqual([n, 429, 'rate_limited']);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    const retryAfterS = Number(answer.headers['retry-after']);
    expect(retryAfterS).toBeGreaterThanOrEqual(1);
    expect(retryAfterS).toBeLessThanOrEqual(60);
    expect((await ask(address, gateway.adminToken)).status).toBe(200);
  }
  expect((await ask('192.0.2.2', 'wrong')).status).toBe(401);
  // One audit entry for each 401, and one for all 429 together.
  expect(await denials(address)).toEqual([...times(10, 401), 429]);
  const entry = (await entriesOf(address)).find(({ action }) => action === 'auth.denied');
  expect(entry).toMatchObject({ actor: address, details: { method: 'GET', status: 401 } });
  // The same read again is counted.
  expect((await entriesOf(address)).filter(({ action }) => action === 'account.list')).toHaveLength(1);
});

test('500 concurrent wrong tokens do not stop the right token, and write eleven audit entries', async () => {
  const address = '192.0.2.3';
  const flood = Array.from({ length: 500 }, (_, n) => ask(address, `wrong-${n}`));
  const right = Array.from({ length: 20 }, () => ask(address, gateway.adminToken));
  expect((await Promise.all(right)).map(({ status }) => status)).toEqual(times(20, 200));
  const statuses = (await Promise.all(flood)).map(({ status }) => status).sort();
  expect(statuses).toEqual([...times(10, 401), ...times(490, 429)]);
  expect(await denials(address)).toEqual([...times(10, 401), 429]);
});

test('missing, empty and wrong tokens count alike at any path below /admin', async () => {
  const address = '192.0.2.4';
  const tries = [
    () => ask(address),
    () => ask(address, ''),
    () => ask(address, 'wrong', '/admin'),
    () => ask(address, undefined, '/admin/no/such/thing'),
    () => ask(address, 'wrong', '/admin/accounts', 'PUT'),
    () => ask(address, 'wrong', '/admin/accounts', 'OPTIONS'),
    () => ask(address, 'wrong', '/admin/accounts?limit=%00'),
    () => ask(address, 'wrong', '/admin/accounts', 'POST'),
    () => ask(address, 'wrong', '/admin/accounts/x/destinations/y', 'DELETE'),
    () => ask(address, 'wrong', '/admin/accounts', 'HEAD'),
  ];
  for (const [n, one] of tries.entries()) expect([n, (await one()).status]).toEqual([n, 401]);
  expect((await ask(address)).status).toBe(429);
  expect((await ask(address, 'wrong', '/admin/nothing')).status).toBe(429);
  // Routes without a token are not limited.
  expect((await ask(address, undefined, '/health/live')).status).toBe(200);
});

test('all addresses of an IPv6 /64 count as one address, those of the next /64 do not', async () => {
  for (let n = 1; n <= 10; n++) expect((await ask(`2001:db8:0:1::${n}`, 'wrong')).status).toBe(401);
  expect((await ask('2001:db8:0:1:ffff:ffff:ffff:ffff', 'wrong')).status).toBe(429);
  expect((await ask('2001:DB8:0000:0001::1', 'wrong')).status).toBe(429);
  expect((await ask('2001:db8:0:2::1', 'wrong')).status).toBe(401);
  expect((await ask('2001:db8:0:0:ffff::1', 'wrong')).status).toBe(401);
});

test('an IPv4 address counts as one address in every notation', async () => {
  for (let n = 1; n <= 10; n++) expect((await ask('::ffff:192.0.2.5', 'wrong')).status).toBe(401);
  expect((await ask('192.0.2.5', 'wrong')).status).toBe(429);
  expect((await ask('::ffff:c000:206', 'wrong')).status).toBe(401);
  expect((await ask('::ffff:192.0.2.7', 'wrong')).status).toBe(401);
});

test('without a proxy, the address of the connection counts', async () => {
  const direct = await startGateway({ worker: false });
  const from = (localAddress: string, headers = {}) =>
    rawRequest(direct.baseUrl, { method: 'GET', path: '/admin/accounts', headers, localAddress });
  try {
    // A forged header does not turn a known address into a new one.
    for (let n = 1; n <= 10; n++)
      expect((await from('127.0.0.2', { 'x-forwarded-for': `10.0.0.${n}` })).status).toBe(401);
    expect((await from('127.0.0.2', { 'x-forwarded-for': '10.0.0.11' })).status).toBe(429);
    expect((await from('127.0.0.3')).status).toBe(401);
    expect((await from('127.0.0.2', { 'x-admin-token': direct.adminToken })).status).toBe(200);
  } finally {
    await direct.stop();
  }
});

test('actors are the names of tokens', async () => {
  const address = '192.0.2.8';
  for (const { token } of [...others, { token: gateway.adminToken }])
    expect((await ask(address, token)).status).toBe(200);
  expect((await entriesOf(address)).map(({ actor }) => actor)).toEqual(['ann', 'bob@example.test', 'tester']);
  const halves = ['ann', 'ann:token-of-ann', 'token-of-ann,a:b:c:d:e', 'a', 'TOKEN-OF-ANN'];
  for (const half of halves) expect([half, (await ask(address, half)).status]).toEqual([half, 401]);
});

describe('windows', () => {
  beforeEach(() => {
    // The cache reads the clock once a millisecond, with a timer.
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'Date'] });
    // The cache takes the time 0 for "not set".
    vi.advanceTimersByTime(1_000);
  });
  const clock = { now: () => performance.now() };
  afterEach(() => vi.useRealTimers());
  const add = (tokens: WrongTokens, address: string, count: number) => {
    const added = Array.from({ length: count }, () => tokens.add(address));
    return added.map(({ excess }) => excess);
  };

  test('last a minute from the first wrong token; further wrong tokens do not extend them', () => {
    const tokens = new WrongTokens(clock);
    expect(add(tokens, 'a', 12)).toEqual([...Array(10).fill(0), 1, 2]);
    expect(tokens.add('a')).toEqual({ excess: 3, retryAfterS: 60 });
    vi.advanceTimersByTime(30_000);
    expect(tokens.add('a')).toEqual({ excess: 4, retryAfterS: 30 });
    vi.advanceTimersByTime(29_999);
    expect(tokens.add('a')).toEqual({ excess: 5, retryAfterS: 1 });
    vi.advanceTimersByTime(2);
    expect(tokens.add('a').excess).toBe(0);
    expect(add(tokens, 'a', 11)).toEqual([...Array(9).fill(0), 1, 2]);
  });
  test('are separate for each address', () => {
    const tokens = new WrongTokens(clock);
    add(tokens, 'a', 20);
    vi.advanceTimersByTime(40_000);
    expect(add(tokens, 'b', 11)).toEqual([...Array(10).fill(0), 1]);
    vi.advanceTimersByTime(20_001);
    expect(tokens.add('a').excess).toBe(0);
    expect(tokens.add('b')).toEqual({ excess: 2, retryAfterS: 40 });
  });
  test('do not end when the clock is set', () => {
    const tokens = new WrongTokens();
    add(tokens, 'a', 10);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(tokens.add('a').excess).toBe(1);
  });
  test('are at most 50,000: beyond that, the address that was quiet longest is forgotten', () => {
    const tokens = new WrongTokens();
    add(tokens, 'first', 11);
    for (let n = 0; n < 49_999; n++) tokens.add(`crowd-${n}`);
    expect(tokens.add('first').excess).toBe(2);
    for (let n = 0; n < 50_000; n++) tokens.add(`more-${n}`);
    expect(tokens.add('first').excess).toBe(0);
  });
});
