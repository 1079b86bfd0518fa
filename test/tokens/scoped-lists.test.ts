import { afterEach, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { useClient, useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });
const client = useClient(gateway);
afterEach(() => client.query('rollback'));

let made = 0;
/** Makes an account, and a token that is limited to it. */
async function scopedToken(): Promise<string> {
  const { id } = await gateway.admin.createAccount({});
  const { body } = await gateway.admin.post('/admin/tokens', { name: `lists-${++made}`, role: 'read', account_id: id });
  return body.token;
}

const paths = ['/admin/events', '/admin/events/filters', '/admin/delivery/failed', '/admin/delivery/retrying'];
/** Asks for this many lists at the same time. The statuses are those of the answers so far. */
function askFor(count: number, token: string, signal = new AbortController().signal) {
  const statuses: number[] = [];
  const answers = Array.from({ length: count }, async (_, n) => {
    const answer = await fetch(`${gateway.baseUrl}${paths[n % paths.length]}`, {
      ...{ headers: { 'x-admin-token': token }, signal },
    });
    await answer.body?.cancel();
    statuses.push(answer.status);
  });
  return { statuses, ended: Promise.allSettled(answers) };
}

/** Makes statements about events wait until the test ends, or until their limit of 5 s. */
async function holdLists() {
  await gateway.send(await gateway.admin.createAccount({}), '{"id":"listed"}');
  await client.query('begin');
  await client.query('lock table events in access exclusive mode');
}
/** Lists that wait for it. */
async function heldLists(): Promise<number> {
  const [row] = await gateway.rows(
    `select count(*)::integer as n from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and application_name like '%-reader'`,
  );
  return row?.n;
}

test('lists of tokens with a scope leave connections to other tokens; too many of them are refused', async () => {
  const token = await scopedToken();
  await holdLists();
  const { statuses, ended } = askFor(40, token);
  await until('two lists wait', async () => (await heldLists()) >= 2);
  for (const path of ['/admin/audit-logs', '/admin/backups', '/admin/processes'])
    expect((await gateway.admin.request('GET', path)).status).toBe(200);
  const refused = () => statuses.filter((status) => status === 429);
  await until('six are refused', () => refused().length === 6);
  await client.query('rollback');
  await ended;
  expect(refused()).toHaveLength(6);
  const after = askFor(4, token);
  await after.ended;
  expect(after.statuses).toEqual([200, 200, 200, 200]);
});

test('a list ends when its client leaves', async () => {
  const token = await scopedToken();
  await holdLists();
  const leaves = new AbortController();
  const { ended } = askFor(2, token, leaves.signal);
  await until('two lists wait', async () => (await heldLists()) === 2);
  leaves.abort();
  await ended;
  await until('both have ended', async () => {
    const entries = await gateway.rows(
      `select details from audit_logs where actor = $1 and details ->> 'code' is not null`,
      [`lists-${made}`],
    );
    return entries.length === 2 && entries.every(({ details }) => details.code === 'client_gone');
  });
  expect(await heldLists()).toBe(0);
});
