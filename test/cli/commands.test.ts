import { beforeAll, expect, test } from 'vitest';
import { fillEvents, type StoredFields } from '../events/fill-events.ts';
import { answer, incidentsOf, quickPace } from '../incidents/support.ts';
import { backupFolder } from '../support/backup-folder.ts';
import type { Consumer } from '../support/consumer.ts';
import { slowDelaysMs } from '../support/gateway.ts';
import { untilInFeed } from '../support/in-feed.ts';
import { triggered } from '../support/maintenance.ts';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { useConsumer, useGateway } from '../support/use-gateway.ts';
import { useStateEnv } from './listen-session.ts';
import { expectRecorded } from './recorded.ts';
import { gatewayEnv, runCli } from './support.ts';

const gateway = useGateway({
  // Recorded output must not depend on the policy of a test run.
  ...{ delaysMs: slowDelaysMs, incidents: quickPace, eventWorkflows: 'on_retry' },
  maintenance: { backupDir: backupFolder() },
});
const stateEnv = useStateEnv();
const good = useConsumer();
const broken = useConsumer();

// The tests are one story, in this order: docs/cli.md shows what they print.
let env: Record<string, string>;
const delivered: string[] = [];
const failed: string[] = [];
const replace: [RegExp, string][] = [[/http:\/\/127\.0\.0\.1:\d+(?=\/?\b|\/?$)/gm, 'https://consumer.example']];
const recorded = (name: string, args: string, options: Partial<Parameters<typeof expectRecorded>[2]> = {}) =>
  expectRecorded(name, args.split(' '), { env, ...options, replace: [...(options.replace ?? []), ...replace] });

/** Sends a webhook, and waits until the consumer has got it. */
async function sent(account_slug: string, order: string, consumer: Consumer): Promise<string> {
  const before = consumer.deliveries.length;
  const webhook = JSON.stringify({ id: `order-${order}`, type: 'order.created' });
  const { body } = await gateway.send({ provider: 'generic', account_slug }, webhook);
  await until('the consumer got the webhook', () => consumer.deliveries.length > before);
  return body.id;
}

beforeAll(() => {
  env = { ...gatewayEnv(gateway), ...stateEnv() };
  broken.replies = [answer(500, 'broken')];
});

test('an account is created with its fields, changed and shown; its secret comes from standard input', async () => {
  await recorded(
    'accounts create',
    `accounts create generic/shop --set app_key=my-app --set delivery_url=${good.url} --set skip_signature_verification=true --set-file signing_secret_current=-`,
    { input: `${secretText('signing')}\n` },
  );
  await recorded('accounts list', 'accounts list --app-key my-app');
  await recorded('accounts update', 'accounts update generic/shop --set org_id=acme --set enabled=true');
  await recorded('accounts show', 'accounts show generic/shop');
  for (const [given, instead] of [
    ['signing_secret_current=abc', 'signing_secret_current'],
    ['authentication={"type":"bearer","token":"abc"}', 'authentication.token'],
  ] as const) {
    const { code, stderr } = await runCli(['accounts', 'create', 'generic/other', '--set', given], { env });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`--set-file ${instead}=`) });
  }
});

test('consumers and destinations are created, changed, listed and deleted', async () => {
  const billing = ['consumers', 'generic/shop', 'billing'] as const;
  const condition = 'condition=event_type.startswith("invoice.")';
  await expectRecorded(
    'consumers create',
    ['consumers', 'create', ...billing.slice(1), '--set', `url=${good.url}`, '--set', condition],
    { env, replace },
  );
  await recorded('consumers update', 'consumers update generic/shop billing --set timeout=30s');
  await recorded('consumers show', 'consumers show generic/shop billing');
  await recorded('consumers list', 'consumers list generic/shop');
  await recorded('consumers delete', 'consumers delete generic/shop billing --yes');
  await recorded(
    'destinations create',
    'destinations create generic/shop on-call --set destination_type=email --set config.addresses=["on-call@example.com"]',
  );
  await recorded('destinations update', 'destinations update generic/shop on-call --set enabled=false');
  await recorded('destinations show', 'destinations show generic/shop on-call');
  await recorded('destinations list', 'destinations list generic/shop');
  await recorded('destinations delete', 'destinations delete generic/shop on-call --yes');
});

test('status is 0 while all is well', async () => {
  // On a busy machine, the database or Temporal may be slow once.
  await recorded('status', 'status', { repeat: true });
});

test('events are listed and shown, and their bodies are written byte for byte', async () => {
  for (const order of ['4711', '4712']) delivered.push(await sent('shop', order, good));
  for (const id of delivered) await gateway.admin.eventually(id, ({ state }) => state === 'delivered');
  await recorded('events list', 'events list --account generic/shop --state delivered --since 1h');
  const attempts: [RegExp, string][] = [
    [/ +MS$/gm, '  MS'],
    [/(?<=200) +\d+$/gm, '  12'],
  ];
  await recorded('events show', `events show ${delivered[0]}`, { replace: attempts });
  await recorded('events payload', `events payload ${delivered[0]}`);
  const piped = await runCli(['events', 'payload', delivered[0] ?? ''], { env });
  expect(piped.stdout).toBe('{"id":"order-4711","type":"order.created"}');
  const all = await runCli(['events', 'list', '--account', 'generic/shop', '--all', '--json'], { env });
  expect(JSON.parse(all.stdout).map(({ id }: { id: string }) => id)).toEqual([...delivered].reverse());
});

test('failing events are in the lists of deliveries, and make an incident that a person acknowledges', async () => {
  const { id } = await gateway.admin.createAccount({
    ...{ account_slug: 'broken', app_key: 'my-app', delivery_url: broken.url },
  });
  for (const order of ['4713', '4714', '4715', '4716', '4717']) failed.push(await sent('broken', order, broken));
  const incident = (await incidentsOf(gateway).one(id)).id;
  for (const event of failed) await gateway.admin.eventually(event, ({ attempts }) => attempts === 1);
  expect(await runCli(['status'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('1 open incident'),
  });
  await recorded('incidents list', 'incidents list --state open');
  await recorded('incidents ack', `incidents ack ${incident} --note mine`);
  await recorded('incidents show', `incidents show ${incident}`);
  await recorded('incidents resolve', `incidents resolve ${incident}`);
  await recorded('incidents reopen', `incidents reopen ${incident}`);
  await recorded('deliveries retrying', 'deliveries retrying');
  const stats = async () => (await gateway.admin.request('GET', '/admin/delivery/stats')).body;
  await until('no start of a workflow waits', async () => (await stats()).workflow_starts.waiting === 0);
  const numbers: [RegExp, string][] = [[/((?:latency|first_attempt_delay)_ms\.p\d+ +|success_rate +)[\d.]+/g, '$11.2']];
  await recorded('deliveries stats', 'deliveries stats', { replace: numbers });
});

test('a person changes events; unknown ones end with 3, after the others are done', async () => {
  await recorded('events retry', `events retry ${failed[0]} --reason fixed`);
  await recorded('events ack', `events ack ${failed[1]}`);
  await recorded('events fail', `events fail ${failed[2]} ${failed[3]} --dead --yes`);
  await recorded('deliveries failed', 'deliveries failed');
  await recorded('events replay', `events replay ${delivered[0]}`);
  const unknown = '01a1fb5c-32dd-7658-a59f-f1f2e11f4782';
  const both = await runCli(['events', 'ack', unknown, failed[4] ?? ''], { env });
  expect(both).toMatchObject({ code: 3, stdout: expect.stringContaining(failed[4] ?? '-') });
  await recorded('replay-failed', 'replay-failed --account generic/broken --yes');
});

test('deliveries of an account, of a consumer and of all are paused and resumed', async () => {
  await recorded('pause', 'pause generic/shop --reason upgrade');
  const status = JSON.parse((await runCli(['status', '--json'], { env })).stdout);
  expect(status.paused_accounts).toEqual(['generic/shop']);
  await recorded('resume', 'resume generic/shop');
  for (const order of ['pause', 'resume'])
    for (const args of [
      [order, '--yes'],
      [order, 'generic/shop', '--consumer', 'default'],
    ])
      expect(await runCli(args, { env }), args.join(' ')).toMatchObject({ code: 0, stderr: '' });
});

test('the audit log is listed and verified; backups are made, listed and verified; maintenance runs', async () => {
  await recorded('audit list', 'audit list --action account.create --limit 5', {
    replace: [[/::ffff:/g, '']],
  });
  const seals: [RegExp, string][] = [[/((?:checked|unsealed|head\.seq|anchor\.seq) +)\d+/g, '$142']];
  await recorded('audit verify', 'audit verify', { replace: seals });
  const sizes: [RegExp, string][] = [
    [/gateway-\d+T\d+Z/g, 'gateway-20261120T100000Z'],
    [/(?<=\bbytes +|completed +)\d+/g, '48213'],
    [/(?<=completed +48213 +)\d+/g, '412'],
  ];
  await recorded('backups trigger', 'backups trigger --wait', { replace: sizes });
  // That of a trigger which Temporal did not answer in time, before one that it did.
  await gateway.rows(`delete from backups where status = 'failed'`);
  await recorded('backups list', 'backups list', { replace: sizes });
  await recorded('backups verify', 'backups verify', { replace: sizes });
  // It also runs by itself, every five minutes.
  await triggered(gateway, 'sweep');
  await recorded('maintenance list', 'maintenance list');
  // The task may have ended before the answer.
  const running: [RegExp, string][] = [[/(?<=^running +)\w+/gm, 'yes']];
  for (const order of ['run', 'pause', 'resume'])
    await recorded(`maintenance ${order}`, `maintenance ${order} sweep`, { replace: running });
  await recorded('maintenance runs', 'maintenance runs backup');
});

test('events tail reads the feed from a time on, with headers and bodies', async () => {
  await untilInFeed(gateway, 'generic/shop', 2);
  await recorded('events tail', 'events tail --account generic/shop --since 1h --no-follow');
  const stop = new AbortController();
  const lines: string[] = [];
  const tail = runCli(['events', 'tail', '--account', 'generic/shop', '--since', '1h', '--json'], {
    ...{ env, signal: stop.signal },
    onOutput: (text) => lines.push(...text.trim().split('\n')),
  });
  await until('the stored events are there', () => lines.length === 2);
  delivered.push(await sent('shop', '4718', good));
  await until('the new event is there', () => lines.length === 3);
  stop.abort();
  expect((await tail).code).toBe(130);
  const items = lines.map((line) => JSON.parse(line));
  expect(items.map(({ event }) => event.id)).toEqual(delivered);
  expect(Buffer.from(items[2]?.body, 'base64').toString()).toBe('{"id":"order-4718","type":"order.created"}');
});

test('a token with a scope is created, listed and revoked, and ends with 4 where its scope does not reach', async () => {
  const token: [RegExp, string][] = [[/wg_[\w-]{43}/g, `wg_${'x'.repeat(43)}`]];
  await recorded('tokens create', 'tokens create laptop --role read --account generic/shop --expires 30d', {
    replace: token,
  });
  const made = await runCli(['tokens', 'create', 'other', '--role', 'read', '--app-key', 'my-app', '--json'], { env });
  const scoped = { ...env, GATEWAY_TOKEN: JSON.parse(made.stdout).token };
  expect(await runCli(['accounts', 'list'], { env: scoped })).toMatchObject({ code: 0 });
  expect(await runCli(['audit', 'list'], { env: scoped })).toMatchObject({ code: 4, stdout: '' });
  expect(await runCli(['tokens', 'revoke', 'other', '--yes'], { env })).toMatchObject({ code: 0 });
  await recorded('tokens list', 'tokens list');
  await recorded('tokens revoke', 'tokens revoke laptop --yes');
});

test('incidents of an account are not those of another provider with the same name', async () => {
  await gateway.admin.createAccount({ provider: 'gitlab', account_slug: 'broken' });
  for (const [account, count] of [
    ['generic/broken', 1],
    ['gitlab/broken', 0],
  ] as const) {
    const { stdout } = await runCli(['incidents', 'list', '--account', account, '--json'], { env });
    expect(JSON.parse(stdout), account).toHaveLength(count);
  }
});

test('an account is deleted once that is confirmed; without a terminal that takes --yes', async () => {
  const { code, stderr } = await runCli(['accounts', 'delete', 'generic/broken'], { env });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--yes') });
  await recorded('accounts delete', 'accounts delete generic/broken --yes');
  expect(await runCli(['accounts', 'show', 'generic/broken'], { env })).toMatchObject({ code: 3, stdout: '' });
});

test('--all and --limit read a list over its pages, the newest first', async () => {
  const account = await gateway.admin.createAccount({ account_slug: 'pages' });
  const stored: StoredFields = {
    ...{ receivedAt: new Date(), accountId: account.id, provider: 'generic', accountSlug: 'pages', appKey: 'tests' },
    ...{ eventType: null, externalId: '', status: 'processed', deliveryStatus: 'delivered', attempts: 1 },
    ...{ deliveredAt: new Date(), nextAttemptAt: null },
  };
  // Two whole pages, and a part of a third one.
  const many = Array.from({ length: 2_001 }, (_, n) => ({ ...stored, externalId: `order-${n}` }));
  const newest = (await fillEvents(gateway.database, many)).sort().reverse();
  const listed = async (...args: string[]) => {
    const { stdout } = await runCli(['events', 'list', '--account', 'generic/pages', '--json', ...args], { env });
    return JSON.parse(stdout).map(({ id }: { id: string }) => id);
  };
  expect(await listed('--all')).toEqual(newest);
  expect(await listed('--limit', '1001')).toEqual(newest.slice(0, 1_001));
  expect(await listed()).toEqual(newest.slice(0, 50));
});
