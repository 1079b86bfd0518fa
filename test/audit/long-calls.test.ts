import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { auditTrail } from '../support/audit-trail.ts';
import { ownLocks } from '../support/own-locks.ts';
import { until } from '../support/until.ts';
import { useGatewayPerTest } from '../support/use-gateway.ts';

const releases: (() => Promise<void>)[] = [];
const gateway = useGatewayPerTest({ worker: false });
afterEach(async () => {
  for (const release of releases.splice(0)) await release();
});

const verify = '/admin/audit-logs/verify';
const purge = '/admin/audit-logs?older_than_days=7';
/** Both read the ends of the chain, so that a lock of their table stops them. Entries can still be written. */
const longCalls = [
  ['verification', 'GET', verify],
  ['purge', 'DELETE', purge],
] as const;

/** Locks a table. Returns a function that releases it, after which calls that wait for it continue. */
async function locked(table: string): Promise<() => Promise<void>> {
  const client = await gateway.database.pool.connect();
  let isLocked = true;
  const release = async () => {
    if (!isLocked) return;
    isLocked = false;
    await client.query('commit');
    client.release();
  };
  releases.push(release);
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  return release;
}

const waitsForLock = (table: string) =>
  until(`a statement waits for ${table}`, async () => {
    const waiting = await gateway.rows(
      `select 1 from ${ownLocks} l where not l.granted and l.relation = $1::regclass`,
      [table],
    );
    return waiting.length > 0;
  });

/** Sends a request and closes the client's side. Resolves when the gateway has closed the connection, too. */
async function leave(method: string, path: string, whenStarted: () => Promise<unknown>, body = ''): Promise<void> {
  const { hostname, port } = new URL(gateway.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.resume();
  await once(socket, 'connect');
  const headers = ['Host: gateway', `X-Admin-Token: ${gateway.adminToken}`, `Content-Length: ${body.length}`];
  if (body !== '') headers.push('Content-Type: application/json');
  socket.write(`${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
  await whenStarted();
  socket.end();
  await once(socket, 'close');
}

/** Sends calls at once, of which so many are `accepted`, and calls `release` when the others were refused. */
async function together(
  send: () => ReturnType<typeof gateway.admin.request>,
  { accepted, refused, release }: { accepted: number; refused: number; release: () => void },
) {
  let left = refused;
  return Promise.all(
    Array.from({ length: accepted + refused }, async () => {
      const answer = await send();
      // Not at the first one: a call that arrives after the release finds a place that has become free.
      if (answer.status === 429 && --left === 0) release();
      return answer;
    }),
  );
}

const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();

describe.each(longCalls)('a %s', (_, method, path) => {
  test('ends with its client, and its entry says so', async () => {
    const trail = auditTrail(gateway.database);
    const release = await locked('audit_chain');
    await leave(method, path, () => waitsForLock('audit_chain'));
    await release();
    const entry = await until('the entry of the call', async () =>
      (await trail()).find(({ action }) => /^audit/.test(action)),
    );
    expect(entry.details).toMatchObject({ status: 499, code: 'client_gone' });
    // Its place is free.
    expect((await gateway.admin.request(method, path)).status).toBe(200);
  });

  test('waits for others of its kind; beyond eight, it is refused with 429', async () => {
    const release = await locked('audit_chain');
    const answers = await together(() => gateway.admin.request(method, path), { accepted: 8, refused: 1, release });
    expect(statuses(answers)).toEqual([...Array(8).fill(200), 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ code: 'too_many_calls' });
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  test('streams its progress and its result to a client that accepts server-sent events', async () => {
    const response = await fetch(`${gateway.baseUrl}${path}`, {
      method,
      headers: { 'x-admin-token': gateway.adminToken, accept: 'text/event-stream' },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const messages = messagesOf(await response.text());
    expect(messages.map(({ event }) => event)).toEqual(['progress', 'result']);
    expect(messages[1]?.data).toMatchObject(method === 'GET' ? { ok: true } : { deleted: 0 });
  });

  test('that fails in a stream ends it with the problem', async () => {
    const release = await locked('audit_chain');
    const response = await fetch(`${gateway.baseUrl}${path}`, {
      method,
      headers: { 'x-admin-token': gateway.adminToken, accept: 'text/event-stream' },
    });
    await waitsForLock('audit_chain');
    const trail = auditTrail(gateway.database);
    await gateway.rows(
      `select pg_terminate_backend(pid) from ${ownLocks} where not granted and relation = 'audit_chain'::regclass`,
    );
    await release();
    const messages = messagesOf(await response.text());
    expect(messages.at(-1)).toMatchObject({ event: 'problem', data: { status: 503, code: 'database_unavailable' } });
    const entry = (await trail()).find(({ action }) => /^audit/.test(action));
    expect(entry?.details).toMatchObject({ status: 503, code: 'database_unavailable' });
  });
});

describe('a search of payloads', () => {
  const search = () => gateway.admin.post('/admin/events/search', { text: 'needle' });

  /** Without an event, a search reads no payload, and ends although they are locked. */
  async function storeEvent() {
    const account = await gateway.admin.createAccount({});
    expect((await gateway.send(account, '{"id":"1"}')).status).toBe(202);
  }

  test('waits for others; beyond ten, it is refused with 429', async () => {
    await storeEvent();
    const release = await locked('event_payloads');
    const answers = await together(search, { accepted: 10, refused: 2, release });
    expect(statuses(answers)).toEqual([...Array(10).fill(200), 429, 429]);
    expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({ code: 'too_many_calls' });
  });

  test('ends with its client', async () => {
    await storeEvent();
    const trail = auditTrail(gateway.database);
    const release = await locked('event_payloads');
    await leave('POST', '/admin/events/search', () => waitsForLock('event_payloads'), '{"text":"needle"}');
    await release();
    const entry = await until('its entry', async () => (await trail()).find(({ action }) => action === 'event.search'));
    expect(entry.details).toMatchObject({ status: 499, code: 'client_gone' });
  });
});

function messagesOf(text: string) {
  return text
    .split('\n\n')
    .map((block) => /^event: (?<event>\w+)\ndata: (?<data>.*)$/m.exec(block)?.groups)
    .flatMap((found) => (found ? [{ event: found.event, data: JSON.parse(found.data ?? '') }] : []));
}
