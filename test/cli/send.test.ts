import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from '@octokit/webhooks-methods';
import { afterAll, expect, test } from 'vitest';
import { sampleNames, samples } from '../../src/cli/send/samples/samples.ts';
import { providerNames } from '../../src/providers/registry.ts';
import { consumerForTest } from '../support/consumer.ts';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';
import { useStateEnv } from './listen-session.ts';
import { expectRecorded } from './recorded.ts';
import { gatewayEnv, runCli } from './support.ts';

const require = createRequire(import.meta.url);
const gateway = useGateway({ worker: false });
const stateEnv = useStateEnv();
const folder = mkdtempSync(join(tmpdir(), 'cli-send-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fileOf = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const run = (...args: string[]) => runCli(args, { env: gatewayEnv(gateway) });

test('each provider has one to three samples, with the address of what they follow', () => {
  expect([...samples.keys()].sort()).toEqual([...providerNames].sort());
  for (const { samples: own, source } of samples.values()) {
    expect(Object.keys(own).length).toBeGreaterThan(0);
    expect(Object.keys(own).length).toBeLessThanOrEqual(3);
    expect(source).toMatch(/^https:|^docs\//);
  }
});

test('the samples of GitHub are those of its package', () => {
  const examples: { name: string; examples: unknown[] }[] = require('@octokit/webhooks-examples');
  const context = { id: 'a'.repeat(24), at: new Date() };
  for (const [type, make] of Object.entries(samples.get('github')?.samples ?? {})) {
    const [name] = type.split('.');
    const all = examples.find((one) => one.name === name)?.examples;
    expect(all).toContainEqual(make(context).fields);
  }
});

test('a gateway accepts each sample, and reads the type from it that the sample is named after', async () => {
  for (const name of sampleNames()) {
    const sent = await run('send', name, '--test-account', '--json');
    expect(sent, name).toMatchObject({ code: 0 });
    const { status, event_id } = JSON.parse(sent.stdout);
    expect(status, name).toBeLessThan(300);
    const provider = name.slice(0, name.indexOf('/'));
    const found = await gateway.rows(
      `select e.event_type, e.rejection_reason from events e join accounts a on a.id = e.account_id
       where a.provider = $1 and a.account_slug = 'cli-test' and coalesce(e.id = $2, true) order by e.id desc limit 1`,
      [provider, event_id],
    );
    expect(found, name).toEqual([{ event_type: name.slice(provider.length + 1), rejection_reason: null }]);
  }
});

test('send prints the answer and what to do next', async () => {
  const secret = `whsec_${secretText('stripe')}`;
  const account = await gateway.admin.createAccount({
    ...{ provider: 'stripe', skip_signature_verification: false, signing_secret_current: secret },
  });
  const named = `stripe/${account.account_slug}`;
  const secretFile = fileOf('stripe-secret', `${secret}\n`);
  const sent = await run(
    ...['send', 'stripe/payment_intent.succeeded', '--account', named, '--secret-file', secretFile],
    ...['--set', 'data.object.amount=5', '--set', 'data.object.metadata.order=4711x'],
  );
  expect(sent).toMatchObject({ code: 0 });
  expect(sent.stdout).toMatch(/^answer +202$/m);
  const [, id = ''] = /^event +(\S+)$/m.exec(sent.stdout) ?? [];
  expect(sent.stderr).toContain(`events show ${id}`);
  expect(await gateway.admin.event(id)).toMatchObject({
    payload: { data: { object: { amount: 5, currency: 'usd', metadata: { order: '4711x' } } } },
  });
  const wrong = await run(
    ...['send', 'stripe/invoice.paid', '--account', named, '--secret-file', secretFile, '--wrong-signature', '--json'],
  );
  expect(wrong.code).toBe(0);
  expect(JSON.parse(wrong.stdout)).toMatchObject({ status: 401, problem: 'verification_failed', event_id: null });
  const refused = await run(
    ...[
      'send',
      'stripe/invoice.paid',
      '--account',
      named,
      '--secret-file',
      fileOf('other', `whsec_${secretText('other')}`),
    ],
  );
  expect(refused).toMatchObject({ code: 4 });
  expect(refused.stderr).toContain('the gateway refused: verification_failed');
});

test('--times sends so many with new ids, at --rate', async () => {
  const startedMs = performance.now();
  const sent = await run('send', 'generic/order.created', '--test-account', '--times', '5', '--rate', '20', '--json');
  expect(sent.code).toBe(0);
  const lines = sent.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(new Set(lines.map(({ event_id }) => event_id)).size).toBe(5);
  expect(lines.every(({ duplicate }) => duplicate === false)).toBe(true);
  // The fifth one begins 200 ms after the first.
  expect(performance.now() - startedMs).toBeGreaterThan(200);
  expect(sent.stderr).toContain('5 accepted, 0 refused');
});

test('--file sends the bytes in the file', async () => {
  const body = '{ "id": "of-a-file",\n "type": "order.kept" }';
  const sent = await run('send', 'generic', '--test-account', '--file', fileOf('body.json', body), '--json');
  expect(sent.code).toBe(0);
  const { event_id } = JSON.parse(sent.stdout);
  const stored = await fetch(`${gateway.baseUrl}/admin/events/${event_id}/payload`, {
    headers: { 'x-admin-token': gateway.adminToken },
  });
  expect(await stored.text()).toBe(body);
  expect(await gateway.admin.event(event_id)).toMatchObject({ event_type: 'order.kept' });
});

test('a key pair is made for a provider with public keys, and signs once the account has it', async () => {
  const path = join(folder, 'sendgrid.pem');
  const account = await gateway.admin.createAccount({ provider: 'sendgrid', skip_signature_verification: false });
  const args = ['send', 'sendgrid/bounce', '--account', `sendgrid/${account.account_slug}`, '--secret-file', path];
  const made = await run(...args);
  expect(made.code).toBe(4);
  const [, publicKey] = /Its public key: (\S+)/.exec(made.stderr) ?? [];
  await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, { signing_secret_current: publicKey });
  expect(await run(...args)).toMatchObject({ code: 0 });
  expect(readFileSync(path, 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----/);
});

test.each([
  { args: ['send'], code: 2, says: 'the sample is missing' },
  { args: ['send', 'stripe/none', '--test-account'], code: 3, says: 'stripe has no sample none' },
  { args: ['send', 'nobody/x', '--test-account'], code: 3, says: 'there are no samples of nobody' },
  { args: ['send', 'generic/order.created'], code: 2, says: 'exactly one of --account and --test-account' },
  { args: ['send', 'generic/order.created', '--account', 'generic/none'], code: 3, says: 'there is no account' },
  { args: ['send', 'generic/order.created', '--test-account', '--set', 'id.x=1'], code: 2, says: 'id has no fields' },
  {
    args: ['send', 'generic/order.created', '--test-account', '--times', '0'],
    code: 2,
    says: 'must be a whole number',
  },
])('$args ends with $code: $says', async ({ args, code, says }) => {
  const ended = await run(...args);
  expect(ended.code, ended.stderr).toBe(code);
  expect(ended.stderr).toContain(says);
});

test('send, sign, verify and listen print what docs/cli.md shows', async () => {
  const env = { ...gatewayEnv(gateway), ...stateEnv() };
  const secretFile = fileOf('secret.txt', secretText('recorded'));
  const replace: [RegExp, string][] = [
    [new RegExp(`${folder}/`, 'g'), ''],
    [/^ms .*/gm, 'ms         12'],
  ];
  await gateway.admin.createAccount({
    provider: 'slack',
    account_slug: 'shop',
    signing_secret_current: secretText('recorded'),
  });
  await expectRecorded('send', ['send', 'slack/app_mention', '--account', 'slack/shop', '--secret-file', secretFile], {
    env,
    replace,
  });
  const consumer = await consumerForTest();
  const stop = new AbortController();
  let printed = '';
  // Not when it arrives there: that is before its line is printed.
  const forwarded = until('the answer is printed', () => / 200 /.test(printed)).then(() => stop.abort());
  await expectRecorded('listen', ['listen', '--account', 'slack/shop', '--since', '1h', '--forward', consumer.url], {
    ...{ env, signal: stop.signal, code: 130 },
    onOutput: (text) => {
      printed += text;
    },
    replace: [
      [new RegExp(consumer.url, 'g'), 'http://localhost:3000/hook'],
      [new RegExp(new URL(consumer.url).origin, 'g'), 'http://localhost:3000'],
      [/^\d\d:\d\d:\d\d/gm, '10:00:00'],
    ],
  });
  await forwarded;
  const input = '{"type":"order.created","id":"order-4711"}';
  await expectRecorded('sign', ['sign', 'github', '--secret-file', secretFile], { env, input, replace });
  const signature = await sign(secretText('recorded'), input);
  await expectRecorded(
    'verify',
    [
      'verify',
      'github',
      '--secret-file',
      secretFile,
      '--header',
      `X-Hub-Signature-256: ${signature}`,
      '--header',
      'X-GitHub-Event: push',
      '--header',
      'X-GitHub-Delivery: 72d3162e-cc78-11e3-81ab-4c9367dc0958',
    ],
    { env, input, replace },
  );
});
