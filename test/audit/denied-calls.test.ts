import { randomInt } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import type { DeniedCall } from '../../src/audit/denied/denied-call.ts';
import { DeniedCalls } from '../../src/audit/denied/denied-calls.ts';
import type { Database } from '../../src/database/database.ts';
import { deniedIn } from '../support/denied.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { type Api, migratedRoles, type Roles } from '../support/gateway-roles.ts';
import { noon } from '../support/noon.ts';
import { rawRequest } from '../support/raw-http.ts';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { openTestLog } from './log.ts';

gatewaysEndWithTheirTest();

const reader = secretText('token-of-reader');
const startRoles = () => migratedRoles({ TRUSTED_PROXIES: '127.0.0.1', ADMIN_TOKENS: `reader:${reader}:read` });

/** An address of the network with this number: a /48 of its own. */
const addressOf = (network: number) => `2001:db8:${network.toString(16)}:1::1`;
const guess = (api: Api, network: number) =>
  rawRequest(api.baseUrl, {
    ...{ method: 'GET', path: '/admin/accounts' },
    headers: { 'x-forwarded-for': addressOf(network), 'x-admin-token': secretText(`wrong-${network}`) },
  });
const refusedByRole = (api: Api) =>
  rawRequest(api.baseUrl, { method: 'POST', path: '/admin/delivery/pause', headers: { 'x-admin-token': reader } });

interface Summary {
  actor: string;
  details: { calls: number; reasons: Counts; networks: ({ network: string } & Counts)[]; other_networks: Counts };
}
type Counts = Record<string, number>;
const summariesIn = (database: Pick<Roles, 'query'>) =>
  database.query<Summary>(
    "select actor, details from audit_logs where action = 'auth.denied' and details ->> 'calls' is not null order by id",
  );
const sum = (numbers: (number | undefined)[]) => numbers.reduce<number>((total, number = 0) => total + number, 0);

/** Fills the part of the day that is over with entries of wrong tokens. */
const fillDay = (roles: Roles, count: number) =>
  roles.query(
    `insert into audit_logs (id, actor, action, ip_address, created_at, details, mac, foreign_at)
     select (lpad(to_hex((extract(epoch from day) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid,
       'ip ' || n, 'auth.denied', 'ip ' || n, day, '{"status":401}', '', now()
     from generate_series(1, $1::integer) n, (select date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' as day) d`,
    [count],
  );

test('of wrong tokens from 300 networks, two processes keep 60 entries a minute and sum up the rest', async () => {
  const roles = await startRoles();
  const apis = [await roles.apiHere(), await roles.apiHere()];
  const [one, other] = apis;
  if (!one || !other) throw new Error('there are two');
  const guesses = Array.from({ length: 300 }, (_, n) => guess(n % 2 === 0 ? one : other, n));
  for (let n = 0; n < 10; n++)
    for (const api of apis) expect((await api.admin.request('GET', '/admin/accounts')).status).toBe(200);
  expect((await Promise.all(guesses)).map(({ status }) => status)).toEqual(Array(300).fill(401));
  // A stop writes the summary of the minute that is not over.
  for (const api of apis) await api.stop();

  const { entries, mostInMinute, summed } = await deniedIn(roles);
  expect(mostInMinute).toBeLessThanOrEqual(60);
  expect(entries).toBeGreaterThanOrEqual(60);
  expect(entries + summed).toBe(300);
  for (const { actor, details } of await summariesIn(roles)) {
    expect(actor).toBe('gateway');
    const { calls, reasons, networks, other_networks } = details;
    expect(reasons).toEqual({ unauthorized: calls });
    expect(networks.length).toBeLessThanOrEqual(20);
    for (const { network } of networks) expect(network).toMatch(/^2001:db8:[0-9a-f]+::\/48$/);
    expect(sum([...networks, other_networks].map(({ unauthorized }) => unauthorized))).toBe(calls);
  }
  // The calls of right tokens are all there: a first one of each process, and the number of the others.
  const [listed] = await roles.query<{ n: number }>(
    "select sum(coalesce((details ->> 'calls')::integer, 1))::integer as n from audit_logs where action = 'account.list'",
  );
  expect(listed?.n).toBe(20);
});

test('the summary has all reasons and the networks with most calls first', async () => {
  const roles = await startRoles();
  const api = await roles.apiHere();
  await fillDay(roles, 10_000);
  await guess(api, 1);
  await guess(api, 1);
  for (let n = 0; n < 12; n++) await guess(api, 2);
  await api.stop();
  expect((await deniedIn(roles)).entries).toBe(10_000);
  expect((await summariesIn(roles)).map(({ details }) => details)).toMatchObject([
    {
      ...{ calls: 14, reasons: { unauthorized: 12, rate_limited: 2 }, other_networks: {} },
      networks: [
        { network: '2001:db8:2::/48', unauthorized: 10, rate_limited: 2 },
        { network: '2001:db8:1::/48', unauthorized: 2 },
      ],
    },
  ]);
});

test('10,000 wrong tokens of a day do not hide what a valid token was refused, nor calls from the lists', async () => {
  const roles = await startRoles();
  const api = await roles.apiHere();
  expect((await api.admin.request('GET', '/admin/accounts')).status).toBe(200);
  await fillDay(roles, 10_000);
  expect((await guess(api, 1)).status).toBe(401);
  expect((await refusedByRole(api)).status).toBe(403);

  const get = async (path: string) => (await api.admin.request('GET', `/admin/audit-logs${path}`)).body;
  const actions = async (query: string) =>
    (await get(`?${query}`)).map(({ actor, action }: { actor: string; action: string }) => `${actor} ${action}`);
  const real = ['admin audit.list', 'reader auth.denied', 'admin account.list'];
  expect(await actions('limit=2&wrong_tokens=false')).toEqual(['reader auth.denied', 'admin account.list']);
  expect(await actions('limit=1000&wrong_tokens=false')).toEqual(real);
  expect((await actions('limit=1000&wrong_tokens=true')).length).toBe(1_000);
  const { by_actor, by_ip } = await get('/stats');
  expect(by_actor).toMatchObject({ admin: expect.any(Number), reader: 1 });
  expect(by_ip).toMatchObject({ '127.0.0.1': expect.any(Number) });
});

test('a refused call with an id that no index can hold has an entry, as the calls beside it', async () => {
  const roles = await startRoles();
  const api = await roles.apiHere();
  // Random, because PostgreSQL compresses values.
  const id = Array.from({ length: 1_500 }, () => String.fromCodePoint(0x4e00 + randomInt(20_000))).join('');
  const path = `/admin/events/${encodeURIComponent(id)}/replay`;
  const refused = rawRequest(api.baseUrl, { method: 'POST', path, headers: { 'x-admin-token': reader } });
  const answers = await Promise.all([refused, ...Array.from({ length: 10 }, (_, n) => guess(api, n))]);
  expect(answers.map(({ status }) => status)).toEqual([403, ...Array(10).fill(401)]);
  expect(await deniedIn(roles)).toMatchObject({ entries: 11, summed: 0 });
  const [entry] = await roles.query<{ details: unknown }>("select details from audit_logs where actor = 'reader'");
  expect(entry?.details).toMatchObject({ status: 403, event_id: `${id.slice(0, 100)}…` });
});

test('an entry that PostgreSQL refuses loses no other of its batch, and its call is in the summary', async () => {
  const log = await openTestLog();
  const denied = new DeniedCalls({ database: log.database, audit: log.audit, log: log.deps.log });
  try {
    await log.sql('alter table audit_logs add constraint refused check (ip_address <> $$192.0.2.5$$)');
    const calls = Array.from({ length: 11 }, (_, n) => `192.0.2.${n}`);
    await Promise.all(
      calls.map((ipAddress) => denied.record({ actor: ipAddress, ipAddress, reason: 'unauthorized', details: {} })),
    );
    await denied.stop();
    expect(await deniedIn({ query: log.sql })).toMatchObject({ entries: 10, summed: 1 });
  } finally {
    await log.close();
  }
});

test('an answer that arrives after the end of its minute does not close the next one', async () => {
  const log = await openTestLog();
  const noonMs = noon();
  vi.useFakeTimers({ toFake: ['Date'], now: noonMs });
  const { audit } = log;
  const other = new DeniedCalls({ database: log.database, audit, log: log.deps.log });
  const database: Database = {
    ...log.database,
    async transaction(work) {
      const result = await log.database.transaction(work);
      vi.setSystemTime(noonMs + 60_000);
      return result;
    },
  };
  const denied = new DeniedCalls({ database, audit, log: log.deps.log });
  const call: DeniedCall = { actor: '192.0.2.1', ipAddress: '192.0.2.1', reason: 'unauthorized', details: {} };
  try {
    for (let n = 0; n < 60; n++) await other.record(call);
    for (let n = 0; n < 2; n++) await denied.record(call);
    expect((await deniedIn({ query: log.sql })).entries).toBe(61);
  } finally {
    vi.useRealTimers();
    await log.close();
  }
});

test('summaries are written while the process runs, name 20 networks, and are part of the chain', async () => {
  const log = await openTestLog();
  const denied = new DeniedCalls({ database: log.database, audit: log.audit, log: log.deps.log, summaryMs: 20 });
  denied.start();
  try {
    for (const flood of [1, 2]) {
      for (let network = 0; network < 3_000; network++)
        denied.count({ ipAddress: addressOf(network), reason: 'rate_limited' });
      for (let n = 0; n < 5; n++) denied.count({ ipAddress: '192.0.2.1', reason: 'unauthorized' });
      await until('the flood is summed up', async () => (await deniedIn({ query: log.sql })).summed === flood * 3_005);
    }
    const details = (await log.sql('select details from audit_logs order by id')).map((row) => row.details);
    expect(details).toHaveLength(2);
    for (const { calls, networks, other_networks } of details) {
      expect([calls, networks.length]).toEqual([3_005, 20]);
      expect(other_networks).toEqual({ rate_limited: 3_000 - 20, unauthorized: 5 });
    }
    await log.sealer.seal();
    expect(await log.verify()).toMatchObject({ ok: true, checked: 2 });
  } finally {
    await denied.stop();
    await log.close();
  }
});
