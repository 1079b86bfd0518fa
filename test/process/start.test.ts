import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { consumerForTest } from '../support/consumer.ts';
import { sharedServers, startedFolder, startWholeGateway, type WholeGateway } from '../support/gateway-all.ts';
import {
  cleanEnvironment,
  gatewaysEndWithTheirTest,
  processesOn,
  spawnGateway,
  temporaryFolder,
} from '../support/gateway-process.ts';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { withoutBusyLines } from '../support/without-busy-lines.ts';

gatewaysEndWithTheirTest('file');

/** Runs a line in a shell, as if it was pasted. */
async function pasted(line: string) {
  const { stdout } = await promisify(execFile)('bash', ['-c', line], { env: cleanEnvironment() });
  return JSON.parse(stdout);
}

/** The kernel needs a moment to remove processes that have ended. */
const nothingIsLeft = (dataDir: string) =>
  until('no process of the gateway is left', () => processesOn([dataDir]).length === 0);

let gateway: WholeGateway;
/** Started on a new folder, as after `npm ci`. Each test leaves it running, except the last one. */
beforeAll(async () => {
  // A service of systemd inherits the variable of another stream when its own output is read by a program.
  gateway = await startWholeGateway(temporaryFolder(), { JOURNAL_STREAM: '8:1' });
});

test('the start prints all addresses, and its three example commands work when pasted', async () => {
  const { dataDir } = gateway;
  expect(gateway.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(gateway.adminToken).toMatch(/^[\w-]{20,}$/);
  expect(gateway.stdout()).toContain(dataDir);
  expect(gateway.stdout()).toContain('127.0.0.0/8');
  expect(gateway.stdout()).toMatch(/E-mail +written to \/.+\/outbox \(set SENDGRID_API_KEY to send it\)\n/);
  // Without problems nothing is logged.
  expect(withoutBusyLines(gateway.stderr())).toBe('');

  const ui = await fetch(gateway.webUiUrl);
  expect(ui.status).toBe(200);
  expect(ui.headers.get('content-type')).toContain('text/html');

  const [makeAccount = '', sendWebhook = '', showEvents = ''] = gateway.curls;
  expect(gateway.curls).toHaveLength(3);
  expect(await pasted(makeAccount)).toMatchObject({ provider: 'generic', account_slug: 'hello', enabled: true });
  const sent = await pasted(sendWebhook);
  expect(sent).toMatchObject({ status: 'received', external_id: 'hello-1', event_type: 'greeting', duplicate: false });
  const [event, ...more] = await until('the third line shows the event delivered', async () => {
    const events = await pasted(showEvents);
    return events[0]?.delivery_status === 'delivered' && events;
  });
  expect(more).toEqual([]);
  expect(event).toMatchObject({ id: sent.id, attempts: 1, response_code: 200 });

  // The link to the workflow leads to the Web UI that the start printed.
  const { workflow } = await gateway.admin.eventually(sent.id, (e) => e.workflow !== null);
  expect(workflow.url).toContain(`${gateway.webUiUrl}/namespaces/default/workflows/event-${sent.id}/`);
  expect((await fetch(workflow.url)).status).toBe(200);
});

test.each([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
])('with HOST=%s, the addresses and commands of the start name %s', async (HOST, shown) => {
  const other = await startWholeGateway(await startedFolder(), { ...(await sharedServers()), HOST });
  expect(new URL(other.baseUrl).hostname).toBe(shown);
  const [makeAccount = ''] = other.curls;
  expect(await pasted(makeAccount)).toMatchObject({ delivery_url: `${other.baseUrl}/health/live` });
});

test('where deliveries to the gateway itself are refused, the start says so in place of its commands', async () => {
  const other = await startWholeGateway(await startedFolder(), {
    ...(await sharedServers()),
    DELIVERY_ALLOWED_NETWORKS: '10.0.0.0/8',
  });
  expect(other.curls).toEqual([]);
  expect(other.stdout()).toContain(
    'refused: 127.0.0.1 is a loopback address; DELIVERY_ALLOWED_NETWORKS does not list it.\n',
  );
});

test('in the journal of systemd, the start names the file of the token in place of the token', async () => {
  const dataDir = await startedFolder();
  // As systemd does it: the variable names the socket of the output.
  const script = 'exec 3>&1; export JOURNAL_STREAM=$(stat -Lc %d:%i /proc/self/fd/3); exec 3>&- "$@"';
  const variables = { ...(await sharedServers()), PORT: '0', DATA_DIR: dataDir };
  const other = spawnGateway('all', variables, [], ['bash', '-c', script, 'bash']);
  await other.printed(/Ctrl-C stops everything/);
  const file = join(dataDir, 'secrets', 'admin-token');
  expect(other.stdout()).toContain(`  Admin token    in ${file}\n`);
  expect(other.stdout()).toContain('"X-Admin-Token: $ADMIN_TOKEN"');
  expect(other.stdout() + other.stderr()).not.toContain(readFileSync(file, 'utf8').trim());
});

test('the next start keeps accounts, events and the workflow of an event that waits for its next attempt', async () => {
  const dataDir = await startedFolder();
  const variables = { DELIVERY_SCHEDULE: '45s,1s,1s,1s,1s,1s,1s,1s,1s' };
  const consumer = await consumerForTest(200, 500, 200);
  const first = await startWholeGateway(dataDir, variables);
  const account = await first.admin.createAccount({
    delivery_url: consumer.url,
    signing_secret_current: secretText('kept-secret'),
  });
  const done = await send(first.baseUrl, account, '{"id":"done"}');
  await first.admin.eventually(done.body.id, (e) => e.delivery_status === 'delivered');
  const waiting = await send(first.baseUrl, account, '{"id":"waiting"}');
  const before = await first.admin.eventually(waiting.body.id, (e) => e.attempts === 1 && e.workflow !== null);
  expect(await first.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  await nothingIsLeft(dataDir);

  const second = await startWholeGateway(dataDir, variables);
  expect(second.adminToken).toBe(first.adminToken);
  const accounts = await second.admin.request('GET', '/admin/accounts');
  expect(accounts.body.map((a: { id: string }) => a.id)).toEqual([account.id]);
  expect((await second.admin.event(done.body.id)).delivery_status).toBe('delivered');
  const after = await second.admin.eventually(
    waiting.body.id,
    (e) => e.delivery_status === 'delivered' && e.workflow !== null,
    200_000,
  );
  // The same workflow run continued, at its planned time.
  expect(after.workflow.run_id).toBe(before.workflow.run_id);
  const [one, two] = after.delivery_history;
  expect([one.response_code, two.response_code, two.number, after.delivery_history.length]).toEqual([500, 200, 2, 2]);
  expect(Date.parse(two.started_at)).toBeGreaterThanOrEqual(Date.parse(before.next_attempt_at) - 50);
  expect(consumer.deliveries.map((d) => d.headers['webhook-id'])).toEqual([
    done.body.id,
    waiting.body.id,
    waiting.body.id,
  ]);
  // Secrets that were encrypted before can still be decrypted.
  const patched = await second.admin.request('PATCH', `/admin/accounts/${account.id}`, {
    skip_signature_verification: false,
  });
  expect(patched.status).toBe(200);
  await until('webhooks need the secret', async () => (await send(second.baseUrl, account, '{}')).status === 401);
  const verified = await send(second.baseUrl, account, '{"id":"verified"}', {
    'x-webhook-secret': secretText('kept-secret'),
  });
  expect(verified.status).toBe(202);
  expect(await second.stop()).toEqual({ code: 0, signal: null });
});

test('a gateway that is stopped during its start leaves no process', async () => {
  const dataDir = temporaryFolder();
  for (const moment of [/Starting PostgreSQL/, /Starting Temporal/]) {
    const gateway = spawnGateway('all', { PORT: '0', DATA_DIR: dataDir });
    await gateway.printed(moment);
    const { code } = await gateway.stop('SIGINT');
    expect(code).toBe(0);
    await nothingIsLeft(dataDir);
    expect(withoutBusyLines(gateway.stderr())).toBe('');
  }
  // The folder can be used again.
  const whole = await startWholeGateway(dataDir);
  expect(await whole.stop()).toEqual({ code: 0, signal: null });
});

test('a second gateway on the same data folder is refused, and the first is not affected', async () => {
  const second = spawnGateway('all', { PORT: '0', DATA_DIR: gateway.dataDir });
  expect((await second.exited).code).toBe(1);
  expect(second.stderr()).toContain(`Another gateway (process ${gateway.pid}) is running on the data folder`);
  expect((await fetch(`${gateway.baseUrl}/health/ready`)).status).toBe(200);
  gateway.server('postgres');
  gateway.server('temporal');
});

test('two gateways with different data folders run side by side, and Ctrl-C stops one with its servers', async () => {
  const other = await startWholeGateway(await startedFolder());
  const addresses = [gateway, other].flatMap(({ baseUrl, webUiUrl }) => [baseUrl, webUiUrl]);
  expect(new Set(addresses).size).toBe(4);
  for (const { admin, baseUrl } of [gateway, other]) {
    const account = await admin.createAccount({ delivery_url: `${baseUrl}/health/live` });
    const { body } = await send(baseUrl, account, '{"id":"one"}');
    await admin.eventually(body.id, (e) => e.delivery_status === 'delivered' && e.status === 'enqueued');
  }

  expect(await gateway.stop('SIGINT')).toEqual({ code: 0, signal: null });
  await nothingIsLeft(gateway.dataDir);
  expect(gateway.stdout()).toMatch(/Stopping …\n$/);
  // Nothing failed, so nothing was logged.
  expect(withoutBusyLines(gateway.stderr())).toBe('');
  expect((await fetch(`${other.baseUrl}/health/ready`)).status).toBe(200);
});
