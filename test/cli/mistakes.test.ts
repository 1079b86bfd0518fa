import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fillEvents, type StoredFields } from '../events/fill-events.ts';
import { consumerForTest } from '../support/consumer.ts';
import { folderForTest } from '../support/folder-for-test.ts';
import { listenForTest } from '../support/listen-for-test.ts';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';
import { gatewayEnv, runCli } from './support.ts';

// What a user may get wrong without noticing it.

const gateway = useGateway({ worker: false });
const fileWith = (text: string) => {
  const file = join(folderForTest(), 'file');
  writeFileSync(file, text);
  return file;
};

test.each([
  ['a second line', (token: string) => `${token}\nmore`],
  ['a space at its end', (token: string) => `${token} `],
])('login refuses a token file with %s, and does not show it', async (_, textOf) => {
  const token = secretText('token-of-two-lines');
  const args = ['login', '--url', gateway.baseUrl, '--token-file', fileWith(textOf(token))];
  const { code, stdout, stderr } = await runCli(args, { env: { XDG_CONFIG_HOME: fileWith('') } });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('the token has characters that no token has');
  expect(stderr).not.toContain(token);
});

test('login says that its profile cannot be written', async () => {
  const args = ['login', '--url', gateway.baseUrl, '--token-file', fileWith(gateway.adminToken)];
  const folder = fileWith('');
  for (const XDG_CONFIG_HOME of [folder, '/sys/none'])
    expect(await runCli(args, { env: { XDG_CONFIG_HOME } })).toMatchObject({
      ...{
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^error: \S+profiles\.json cannot be (read|written): E/),
      },
    });
});

test('the file of the profiles is read only if a profile is needed', async () => {
  const env = { ...gatewayEnv(gateway), XDG_CONFIG_HOME: fileWith('') };
  expect(await runCli(['accounts', 'list'], { env })).toMatchObject({ code: 0 });
  const { GATEWAY_TOKEN: _, ...withoutToken } = env;
  for (const [args, some] of [
    [['accounts', 'list', '--profile', 'other'], env],
    [['accounts', 'list'], withoutToken],
  ] as const)
    expect(await runCli(args, { env: some })).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOTDIR') });
});

test('send says that the file of a new key cannot be written', async () => {
  const { account_slug } = await gateway.admin.createAccount({ provider: 'sendgrid' });
  const file = join(folderForTest(), 'missing', 'key.pem');
  const args = [
    'send',
    'sendgrid',
    '--account',
    `sendgrid/${account_slug}`,
    '--secret-file',
    file,
    '--file',
    fileWith('[]'),
  ];
  const result = await runCli(args, { env: gatewayEnv(gateway) });
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file} cannot be written: ENOENT`) });
});

test('export says that its file cannot be written', async () => {
  const file = join(folderForTest(), 'missing', 'gateway.yaml');
  const result = await runCli(['export', '--output', file], { env: gatewayEnv(gateway) });
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file} cannot be written: ENOENT`) });
});

test.each([
  ['consumers', 'delete', '..', '--yes'],
  ['consumers', 'update', '..', '--set', 'enabled=false'],
  ['consumers', 'show', '.'],
  ['pause', '--consumer', '..'],
])('%s %s %s does nothing to the account', async (...[group, order, ...rest]) => {
  const account = await gateway.admin.createAccount({});
  const name = `generic/${account.account_slug}`;
  const args = group === 'pause' ? [group, name, order, ...rest] : [group, order, name, ...rest];
  const result = await runCli(args as string[], { env: gatewayEnv(gateway) });
  expect(result).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('consumers list') });
  const { status, body } = await gateway.admin.request('GET', `/admin/accounts/${account.id}`);
  expect([status, body.enabled, body.paused]).toEqual([200, true, null]);
});

test('send --wrong-signature fails where no signature was checked', async () => {
  const secret = secretText('signing');
  const { account_slug } = await gateway.admin.createAccount({
    ...{ skip_signature_verification: false, signing_secret_current: secret },
  });
  const elsewhere = await consumerForTest(404);
  const result = await runCli(
    [
      ...['send', 'generic/order.created', '--account', `generic/${account_slug}`, '--wrong-signature'],
      ...['--address', new URL(elsewhere.url).origin, '--secret-file', fileWith(secret)],
    ],
    { env: gatewayEnv(gateway) },
  );
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('no signature was checked') });
});

test.each([
  ['an empty answer', (response: ServerResponse) => response.writeHead(200).end()],
  ['a web page', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi')],
  ['JSON of its own', (response: ServerResponse) => response.writeHead(201).end('{"id":"4711","ok":true}')],
])('send fails where %s comes from another server', async (_, reply) => {
  const secret = secretText('signing');
  const { account_slug } = await gateway.admin.createAccount({
    ...{ provider: 'slack', skip_signature_verification: false, signing_secret_current: secret },
  });
  const elsewhere = await consumerForTest((response) => void reply(response));
  const args = [
    ...['--account', `slack/${account_slug}`, '--address', new URL(elsewhere.url).origin],
    ...['--secret-file', fileWith(secret)],
  ];
  for (const given of [['slack/app_mention'], ['slack/slash_command'], ['slack/app_mention', '--wrong-signature']]) {
    const result = await runCli(['send', ...given, ...args], { env: gatewayEnv(gateway) });
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is not a webhook gateway') });
    expect(result.stderr).toContain('Check --address');
  }
});

test.each([
  ['the gateway', null],
  ['a proxy that writes the type in another way', 'Text/Plain;charset=UTF-8'],
])('send accepts the answer to the check of an address from %s', async (_, type) => {
  const secret = secretText('signing');
  const { account_slug } = await gateway.admin.createAccount({ provider: 'slack', signing_secret_current: secret });
  const check = fileWith('{"type":"url_verification","challenge":"abc"}');
  const args = ['send', 'slack', '--account', `slack/${account_slug}`, '--secret-file', fileWith(secret)];
  if (type !== null) {
    const proxy = await consumerForTest(
      (response) => void response.writeHead(200, { 'content-type': type }).end('abc'),
    );
    args.push('--address', new URL(proxy.url).origin);
  }
  const result = await runCli([...args, '--file', check], { env: gatewayEnv(gateway) });
  expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^answer +200$/m) });
});

test.each(['48', '7', 'in 45'])('tokens create takes no %j for a time', async (expires) => {
  const args = ['tokens', 'create', 'ci', '--role', 'read', '--expires', expires];
  const result = await runCli(args, { env: gatewayEnv(gateway) });
  expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('It must be a time such as') });
});

test('the end of a previous secret is no secret', async () => {
  const { id } = await gateway.admin.createAccount({ signing_secret_previous: secretText('previous') });
  const set = ['--set', 'signing_secret_previous_expires_at=2030-01-02T00:00:00Z'];
  const result = await runCli(['accounts', 'update', id, ...set], { env: gatewayEnv(gateway) });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  const { body } = await gateway.admin.request('GET', `/admin/accounts/${id}`);
  expect(body.signing_secret_previous_expires_at).toBe('2030-01-02T00:00:00.000Z');
});

test('replay-failed --account replays the events of this account, also under an earlier slug, and of no other', async () => {
  const failed = async (account_slug: string, name: string) => {
    const { body } = await gateway.send({ provider: 'generic', account_slug }, JSON.stringify({ id: name }));
    await gateway.admin.post(`/admin/events/${body.id}/fail`, {});
    return body.id;
  };
  const renamed = await gateway.admin.createAccount({ account_slug: 'taken-over' });
  const ofRenamed = await failed('taken-over', 'first');
  await gateway.admin.request('PATCH', `/admin/accounts/${renamed.id}`, { account_slug: 'renamed' });
  await gateway.admin.createAccount({ account_slug: 'taken-over' });
  const ofTaker = await failed('taken-over', 'second');
  for (const [account, id] of [
    ['generic/taken-over', ofTaker],
    ['generic/renamed', ofRenamed],
  ]) {
    const result = await runCli(['replay-failed', '--account', account, '--yes'], { env: gatewayEnv(gateway) });
    expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^replayed +1$/m) });
    expect((await gateway.admin.event(id)).generation).toBe(1);
  }
});

test('status ends with 1 where a gateway accepts connections and does not answer', async () => {
  const port = await listenForTest(createServer());
  const env = { ...gatewayEnv(gateway), GATEWAY_URL: `http://127.0.0.1:${port}` };
  const result = await runCli(['status'], { env });
  expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('no answer within 15 s') });
});

test.each([
  ['audit', 'verify'],
  ['accounts', 'list'],
  ['deliveries', 'stats'],
])('%s %s whose answer breaks off says so', async (...args) => {
  for (const headers of ['Content-Length: 100', 'Connection: close']) {
    const server = createServer((socket) => {
      socket.once('data', () =>
        socket.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${headers}\r\n\r\n{"ok":`),
      );
    });
    const env = {
      GATEWAY_URL: `http://127.0.0.1:${await listenForTest(server)}`,
      GATEWAY_TOKEN: secretText('any-token'),
    };
    const { code, stdout, stderr } = await runCli(args, { env });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: the answer broke off before its end\nTry again; .*\n$/);
  }
});

test.each([
  ['failed', '--state exhausted --all, also with acknowledged, dead, ended, failed_by_person'],
  ['retrying', '--state retrying --all, also with waiting'],
])('deliveries %s says that there may be more than it lists', async (list, states) => {
  const { id } = await gateway.admin.createAccount({});
  const isFailed = list === 'failed';
  const fields: StoredFields = {
    ...{ receivedAt: new Date(), accountId: id, provider: 'generic', accountSlug: 'shop', appKey: 'shop' },
    ...{ eventType: 'order', externalId: 'order', status: isFailed ? 'failed' : 'enqueued' },
    ...{ deliveryStatus: isFailed ? 'failed' : 'pending', attempts: 1, deliveredAt: null },
    nextAttemptAt: isFailed ? null : new Date(Date.now() + 3_600_000),
  };
  await fillEvents(
    gateway.database,
    Array.from({ length: 201 }, () => fields),
  );
  const { code, stderr } = await runCli(['deliveries', list], { env: gatewayEnv(gateway) });
  expect(code).toBe(0);
  expect(stderr).toContain(`All of a state: webhook-gateway events list ${states}`);
});
