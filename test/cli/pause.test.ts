import { expect, test } from 'vitest';
import { consumersOf } from '../consumers/support.ts';
import { useGateway } from '../support/use-gateway.ts';
import { gatewayEnv, runCli } from './support.ts';

const gateway = useGateway({ worker: false });

/** What a command prints, with times replaced. */
async function printed(command: string, more: Record<string, string> = {}): Promise<string> {
  const env = { ...gatewayEnv(gateway), ...more };
  const { code, stdout, stderr } = await runCli(command.split(' '), { env });
  expect({ code, stderr }, command).toEqual({ code: 0, stderr: '' });
  return stdout.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
}

test('resume says which wider pauses still hold the deliveries', async () => {
  const { account_slug } = await gateway.admin.createAccount({});
  const account = `generic/${account_slug}`;
  await printed('pause --yes --reason move');
  await printed(`pause ${account} --reason upgrade`);
  expect(await printed(`resume ${account} --consumer default`)).toBe(
    `Deliveries of ${account} to default stay paused, because these pauses are in force:
- that of all accounts since <time>: move (webhook-gateway resume)
- that of ${account} since <time>: upgrade (webhook-gateway resume ${account})
`,
  );
  expect(await printed(`resume ${account}`)).toBe(
    `Deliveries of ${account} stay paused, because these pauses are in force:
- that of all accounts since <time>: move (webhook-gateway resume)
`,
  );
  expect(await printed('resume')).toBe('Deliveries of all accounts are resumed.\n');
});

test('resume says which accounts and consumers stay paused themselves', async () => {
  const { account_slug, id } = await gateway.admin.createAccount({});
  const account = `generic/${account_slug}`;
  await consumersOf(gateway, id).made('billing');
  await printed(`pause ${account} --consumer billing`);
  await printed(`pause ${account}`);
  await printed('pause --yes');
  expect(await printed('resume')).toBe(
    `Deliveries of all accounts are resumed, but these pauses are still in force:
- that of ${account} (webhook-gateway resume ${account})
`,
  );
  expect(await printed(`resume ${account}`)).toBe(
    `Deliveries of ${account} are resumed, but these pauses are still in force:
- that of ${account} to billing since <time> (webhook-gateway resume ${account} --consumer billing)
`,
  );
  expect(await printed(`resume ${account} --consumer billing`)).toBe(
    `Deliveries of ${account} to billing are resumed.\n`,
  );
});

test('a token with a scope resumes an account, and is told that there may be a pause of all deliveries', async () => {
  const { account_slug, id } = await gateway.admin.createAccount({});
  const fields = { name: 'of-an-account', role: 'operate', account_id: id };
  const { body } = await gateway.admin.post('/admin/tokens', fields);
  await printed('pause --yes');
  expect(await printed(`resume generic/${account_slug}`, { GATEWAY_TOKEN: body.token })).toBe(
    `Deliveries of generic/${account_slug} are resumed.
A token with a scope may not read whether all deliveries are paused.
`,
  );
  await printed('resume');
});

test('pause says when an earlier pause keeps its own reason', async () => {
  const { account_slug } = await gateway.admin.createAccount({});
  const account = `generic/${account_slug}`;
  for (const target of [account, `${account} --consumer default`, '--yes']) {
    expect(await printed(`pause ${target} --reason first`), target).toMatch(/^Deliveries of .* are paused\.\n$/);
    expect(await printed(`pause ${target} --reason first`), target).toMatch(/^Deliveries of .* are paused\.\n$/);
    expect(await printed(`pause ${target} --reason second`), target).toMatch(
      /^Deliveries of .* are paused since <time> already\. That pause keeps its reason: first\.\n$/,
    );
  }
  for (const target of ['', ` ${account}`, ` ${account} --consumer default`]) await printed(`resume${target}`);
});
