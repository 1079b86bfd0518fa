import { describe, expect, test } from 'vitest';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { reader, secrets, shop, tokens, usePlanFiles, withoutKey } from './plan-support.ts';
import { expectRecorded } from './recorded.ts';
import { gatewayEnv, ptyCli, runCli } from './support.ts';

const { gateway, accountNamed, withFile, writeNext } = usePlanFiles();

describe('a file', () => {
  test('is applied, and then differs in nothing; a second apply does nothing', async () => {
    const { write, plan, apply } = withFile(secrets);
    await writeNext('delivery.key', `${secretText('of deliveries')}\n`);
    await write(shop('whole'));
    const planned = await plan();
    expect(planned).toMatchObject({ code: 5, stdout: expect.stringContaining('Plan: 4 to create, 1 to change.') });
    expect(planned.stdout).toContain(`delivery_url: \${env:DELIVERY_URL}`);
    const applied = await apply('--yes');
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('Done: 5 of 5 steps.') });
    for (const secret of Object.values(secrets)) expect(planned.stdout + applied.stdout).not.toContain(secret);
    expect(await plan()).toEqual({ code: 0, stdout: 'Nothing to change.\n', stderr: '' });
    expect(await apply()).toMatchObject({ code: 0, stdout: 'Nothing to change.\n' });
  });

  test('shows each changed field with both values, and changes only these', async () => {
    const { write, plan, apply, run, file } = withFile({ ...secrets, BILLING: secretText('another one') });
    await write(withoutKey(shop('changed')));
    expect(await apply('--yes')).toMatchObject({ code: 0 });
    await write(
      withoutKey(shop('changed'))
        .replace('app_key: my-app\n', 'app_key: my-app\n    enabled: false\n')
        .replace('60s, 10m', '60s, 20m')
        .replace('incident.opened, ', ''),
    );
    const { stdout, code } = await run(['plan', '-f', file], secrets);
    expect(code).toBe(5);
    expect(stdout.split('\n')).toEqual([
      '~ generic/changed',
      '    enabled: true → false',
      '~ generic/changed consumer billing',
      '    schedule: ["1m","10m"] → ["60s","20m"]',
      `    secret: another secret, from \${env:BILLING}`,
      '~ generic/changed destination On-call',
      '    kinds: ["delivery.failed","incident.opened"] → ["delivery.failed"]',
      'Plan: 3 to change.',
      '',
    ]);
    expect(await apply('--yes')).toMatchObject({ code: 0 });
    expect(await plan()).toMatchObject({ code: 0 });
  });

  test('leaves a secret as it is whose reference is not set, and says so', async () => {
    const { write, apply, run, file } = withFile(secrets);
    await write(withoutKey(shop('unset')));
    expect(await apply('--yes')).toMatchObject({ code: 0 });
    // CI services set a variable without a value to an empty text.
    const unset = Object.fromEntries(Object.keys(secrets).map((name) => [name, '']));
    const { code, stdout } = await run(['plan', '-f', file], { ...unset, GATEWAY_TOKEN: reader });
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        `? generic/unset signing_secret_current: \${env:SIGNING} is not set, so it stays as it is`,
        `? generic/unset delivery_url: \${env:DELIVERY_URL} is not set, so it stays as it is`,
        `? generic/unset consumer billing authentication.password: \${env:PASSWORD} is not set, so it stays as it is`,
        `? generic/unset consumer billing secret: \${env:BILLING} is not set, so it stays as it is`,
        `? generic/unset destination Chat config.webhook_url: \${env:CHAT_URL} is not set, so it stays as it is`,
        'Nothing to change.',
        '',
      ],
    ]);
  });

  test('with a reference that a new object needs is planned, and apply refuses it before it changes anything', async () => {
    const { write, plan, apply } = withFile({ ...secrets, PASSWORD: '' });
    await write(withoutKey(shop('needed')));
    expect(await plan()).toMatchObject({ code: 5, stdout: expect.stringContaining('is not set, and is needed') });
    expect(await apply('--yes')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`consumer billing authentication.password needs \${env:PASSWORD}`),
    });
    expect(await accountNamed('needed')).toBeUndefined();
  });

  test('with --prune loses consumers and destinations that are not in it, but no accounts', async () => {
    const { write, plan, apply } = withFile(secrets);
    await write(withoutKey(shop('pruned')));
    await apply('--yes');
    await write(`accounts:\n  generic/pruned:\n    app_key: my-app\n    delivery_url: \${env:DELIVERY_URL}\n`);
    expect((await plan()).stdout).not.toContain('- ');
    const pruned = await plan('--prune', '--json');
    const { steps } = JSON.parse(pruned.stdout);
    expect(steps).toMatchObject([
      { action: 'delete', kind: 'consumer', name: 'billing' },
      { action: 'delete', kind: 'destination', name: 'On-call' },
      { action: 'delete', kind: 'destination', name: 'Chat' },
    ]);
    expect((await apply('--prune', '--yes')).code).toBe(0);
    expect(await plan('--prune')).toMatchObject({ code: 0, stdout: 'Nothing to change.\n' });
    expect(await accountNamed('changed')).toBeDefined();
  });

  test('that is wrong is refused with the line of each mistake', async () => {
    const { write, plan, file } = withFile();
    await write(`accounts:
  generic/wrong:
    app_key: my-app
    delivery_secret: in-clear-text
    delivery_url: https://user:pass@shop.example/
    enabeld: true
    consumers:
      default: { url: https://shop.example/ }
      Billing: { url: "https://\${env:HOST}/" }
      next: { condition: "event_type ==" }
    destinations:
      mail: { destination_type: email, config: { addresses: [nobody] } }
  unknown/shop: { app_key: 5 }
`);
    const { code, stderr } = await plan();
    expect(code).toBe(2);
    expect(stderr.replaceAll(file, 'f').split('\n').slice(0, -2)).toEqual([
      expect.stringMatching(/^error: f:4:22: .*delivery_secret is a secret, which does not belong in the file/),
      expect.stringMatching(/^f:5:19: .*delivery_url has a user and password/),
      expect.stringMatching(/^f:6:14: .*enabeld is not a known field/),
      expect.stringMatching(/^f:8:23: .*default.url of the consumer default is that of the account/),
      expect.stringMatching(/^f:9:16: .*Billing must be named with/),
      expect.stringMatching(/^f:9:23: .*url must be one reference and nothing else/),
      expect.stringMatching(/^f:10:13: .*next.url is required/),
      expect.stringMatching(/^f:10:26: .*condition line 1, column/),
      expect.stringMatching(/^f:12:62: .*addresses.0 must be an email address/),
      expect.stringMatching(/^f:13:17: .*names the provider unknown/),
      expect.stringMatching(/^f:13:28: .*app_key must be a string/),
    ]);
    await write('accounts:\n  generic/a: {app_key: x}\n  generic/a: {app_key: x}\n');
    expect(await plan()).toMatchObject({ code: 2, stderr: expect.stringContaining(':3:3: Map keys must be unique') });
    expect(stderr).not.toContain('in-clear-text');
  });

  test('names a destination whose name two have: refused with both ids', async () => {
    const { write, plan, run } = withFile();
    const account = await gateway.admin.createAccount({ account_slug: 'twins', app_key: 'my-app' });
    const twin = { destination_type: 'email', name: 'Twin', config: { addresses: ['a@example.com'] } };
    const path = `/admin/accounts/${account.id}/destinations`;
    const ids = [(await gateway.admin.post(path, twin)).body.id, (await gateway.admin.post(path, twin)).body.id];
    const config = '{ destination_type: email, config: { addresses: [a@example.com] } }';
    await write(`accounts:\n  generic/twins:\n    app_key: my-app\n    destinations:\n      Twin: ${config}\n`);
    for (const answer of [await plan(), await run(['export', '--account', 'generic/twins'])])
      expect(answer).toMatchObject({ code: 4, stderr: expect.stringContaining(`Twin: ${ids.join(', ')}`) });
    await gateway.admin.request('DELETE', `/admin/accounts/${account.id}`);
  });
});

describe('apply', () => {
  test('asks, so that without a terminal and without --yes it changes nothing', async () => {
    const { write, apply } = withFile();
    await write('accounts:\n  generic/asked: { app_key: my-app }\n');
    expect(await apply()).toMatchObject({
      ...{
        code: 2,
        stderr: 'error: this must be confirmed, and there is no terminal to ask\nAdd --yes to confirm it.\n',
      },
    });
    expect(await accountNamed('asked')).toBeUndefined();
  });

  test('stops at the first step that fails, and says what was done; the next one goes on', async () => {
    const { write, apply } = withFile();
    const text = (url: string) =>
      `accounts:\n  generic/halfway:\n    app_key: my-app\n    consumers:\n      one: { url: https://one.example/ }\n` +
      `      two: { url: ${url} }\n      three: { url: https://three.example/ }\n`;
    // An address to which the gateway sends nothing.
    await write(text('http://169.254.169.254/'));
    const failed = await apply('--yes');
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining('2 of 4 steps were made') });
    expect(failed.stderr).toContain('generic/halfway consumer two: url');
    await write(text('https://two.example/'));
    const done = await apply('--yes', '--json');
    expect([done.code, JSON.parse(done.stdout).steps]).toMatchObject([
      0,
      [
        { action: 'create', kind: 'consumer', name: 'two', done: true },
        { action: 'create', kind: 'consumer', name: 'three', done: true },
      ],
    ]);
  });

  test('stops when the gateway has changed while it asked', async () => {
    const { write, apply, file } = withFile();
    const text = (org: string) => `accounts:\n  generic/meanwhile: { app_key: my-app, org_id: ${org} }\n`;
    await write(text('first'));
    await apply('--yes');
    await write(text('second'));
    const terminal = ptyCli(['apply', '-f', file], { columns: 40, env: gatewayEnv(gateway) });
    await until('the question', () => terminal.text().includes('Make these changes'));
    const { id } = await accountNamed('meanwhile');
    await gateway.admin.request('PATCH', `/admin/accounts/${id}`, { enabled: false });
    terminal.write('y\r');
    expect([await terminal.ended, terminal.text()]).toEqual([1, expect.stringContaining('has changed since the plan')]);
    expect((await accountNamed('meanwhile')).org_id).toBe('first');
  });

  test('with --rotate keeps the replaced secrets as previous ones', async () => {
    const { write, apply, run, file } = withFile(secrets);
    await write(withoutKey(shop('rotated')));
    await apply('--yes');
    const next = { SIGNING: secretText('next signing'), BILLING: secretText('next of billing') };
    expect((await run(['apply', '-f', file, '--rotate', '--yes'], next)).code).toBe(0);
    const { id } = await accountNamed('rotated');
    const { body: account } = await gateway.admin.request('GET', `/admin/accounts/${id}`);
    const { body: billing } = await gateway.admin.request('GET', `/admin/accounts/${id}/consumers/billing`);
    expect([account.has_signing_secret_previous, billing.secret_previous_expires_at]).toEqual([
      true,
      expect.any(String),
    ]);
    // Nothing of the rotation is in the file.
    expect(await run(['plan', '-f', file], next)).toMatchObject({ code: 0 });
  });
});

test('an export differs in nothing from the gateway, and holds no secret', async () => {
  const { write, plan, run, file } = withFile();
  const exported = await run(['export']);
  expect(exported.code).toBe(0);
  expect(exported.stdout).toContain('generic/whole:');
  expect(exported.stdout).toContain(`signing_secret_current: \${env:GENERIC_WHOLE_SIGNING_SECRET_CURRENT}`);
  for (const secret of [...Object.values(secrets), 'user:pass']) expect(exported.stdout).not.toContain(secret);
  await write(exported.stdout);
  const planned = await plan('--prune');
  expect([planned.code, planned.stdout.split('\n').at(-2)]).toEqual([0, 'Nothing to change.']);
  expect(await run(['export', '-o', file])).toMatchObject({ code: 2, stderr: expect.stringContaining('exists') });
});

test('the page of the commands shows what they print', async () => {
  const { write, file } = withFile();
  const env = { ...gatewayEnv(gateway), GATEWAY_TOKEN: tokens[0]?.token ?? '', ...secrets };
  const replace: [RegExp, string][] = [[/\/\S+gateway-\d+\.yaml/g, 'gateway.yaml']];
  const text = (ofDefault: string) =>
    `accounts:\n  stripe/shop:\n    app_key: my-app\n    delivery_url: https://shop.example/hook\n` +
    `    delivery_secret: \${env:BILLING}\n    consumers:\n      default: ${ofDefault}\n` +
    `      billing: { url: https://billing.example/hook, secret: "\${env:BILLING}" }\n`;
  await write(text('{}'));
  await runCli(['apply', '-f', file, '--yes'], { env });
  await write(text(`{ final: ["410"] }`).replace(/ {6}billing.*\n/, ''));
  const changed = { ...env, BILLING: secretText('yet another') };
  await expectRecorded('plan', ['plan', '-f', file, '--prune'], { env: changed, code: 5, replace });
  await expectRecorded('apply', ['apply', '-f', file, '--yes'], { env: changed, replace });
  await expectRecorded('export', ['export', '--account', 'stripe/shop'], { env, replace });
});
