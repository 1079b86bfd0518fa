import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import pLimit from 'p-limit';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandsOf, programOfPage } from '../../src/cli/page.ts';
import { fillEvents, type StoredFields } from '../events/fill-events.ts';
import { backupFolder } from '../support/backup-folder.ts';
import { slowDelaysMs } from '../support/gateway.ts';
import { untilInFeed } from '../support/in-feed.ts';
import { proxyTo } from '../support/proxy-to.ts';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { useConsumer, useGateway } from '../support/use-gateway.ts';
import { useBundle } from './bundle.ts';
import { argsOf, type Call, everyCommand, type Named } from './every-command.ts';
import { useStateEnv } from './listen-session.ts';
import { engineLate } from './recorded.ts';
import { type CliResult, gatewayEnv, ptyCli, runCli } from './support.ts';

const gateway = useGateway({
  ...{ delaysMs: slowDelaysMs, eventWorkflows: 'on_retry' },
  maintenance: { backupDir: backupFolder() },
});
const consumer = useConsumer();
const bundle = useBundle();
const state = useStateEnv()();
const folder = mkdtempSync(join(tmpdir(), 'cli-every-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const calls = Object.entries(everyCommand);
const reading = calls.filter(([, { kind }]) => kind === 'reads');
const calling = calls.filter(([, { offline }]) => offline !== true);
/** Each process loads the whole command line: more of them only wait for a processor. */
const atOnce = 6;

let named: Named;

/** An account with something in each list, whose values are longer than a narrow terminal. */
beforeAll(async () => {
  const env = gatewayEnv(gateway);
  const succeeded = async (args: string[]) => {
    const result = await runCli(args, { env });
    expect(result, args.join(' ')).toMatchObject({ code: 0 });
    return result.stdout;
  };
  const slug = 'a-shop-whose-name-is-wider-than-a-narrow-terminal';
  const account = `generic/${slug}`;
  const fields = { account_slug: slug, app_key: 'my-app', delivery_url: consumer.url };
  const { id } = await gateway.admin.createAccount(fields);
  const condition = `event_type == "${'x'.repeat(60)}" or event_type.startswith("invoice.")`;
  await succeeded([
    ...['consumers', 'create', account, 'billing', '--set', `url=${consumer.url}`],
    ...['--set', `condition=${condition}`],
  ]);
  await succeeded([
    ...['destinations', 'create', account, 'On-call', '--set', 'destination_type=email'],
    ...['--set', `config.addresses=["${'x'.repeat(50)}@example.com"]`],
  ]);
  const { body } = await gateway.send(
    { provider: 'generic', account_slug: slug },
    JSON.stringify({ id: 'order-1', type: 'order.created', text: 'x'.repeat(100) }),
  );
  await gateway.admin.eventually(body.id, ({ state }) => state === 'delivered');
  const stored: StoredFields = {
    ...{ receivedAt: new Date(), accountId: id, provider: 'generic', accountSlug: slug, appKey: 'my-app' },
    ...{ eventType: `order.${'x'.repeat(100)}`, externalId: 'order-2', status: 'failed', deliveryStatus: 'failed' },
    ...{ attempts: 10, deliveredAt: null, nextAttemptAt: null },
  };
  const nextAttemptAt = new Date(Date.now() + 86_400_000);
  await fillEvents(gateway.database, [
    stored,
    { ...stored, externalId: 'order-3', deliveryStatus: 'pending', attempts: 3, nextAttemptAt },
  ]);
  const incident = uuidv7();
  // Resolved, because `status` ends with 1 while one is open.
  await gateway.rows(
    `insert into incidents (id, kind, account_id, cause, first_seen_at, last_seen_at, attempts, state, resolved_at)
     values ($1, 'delivery', $2, $3, now(), now(), 5, 'resolved', now())`,
    [incident, id, `the consumer answered with 500 ${'x'.repeat(60)}`],
  );
  const token = 'a-token-whose-name-is-wider-than-a-narrow-terminal';
  await succeeded(['tokens', 'create', token, '--role', 'read', '--account', account]);
  // On a busy machine Temporal may not answer in time, and the command says: try again.
  await until('there is a backup', () => succeeded(['backups', 'trigger', '--wait']), { retryErrors: true });
  await until('the sweep is triggered', () => succeeded(['maintenance', 'run', 'sweep']), { retryErrors: true });
  await until(
    'the sweep has a run',
    async () => (await gateway.admin.request('GET', '/admin/upkeep/sweep/runs')).body.length > 0,
  );
  await untilInFeed(gateway, account, 1);
  const file = (name: string) => join(folder, name);
  named = {
    ...{ account, event: body.id, incident, bodyFile: file('body'), secretFile: file('secret') },
    ...{ headersFile: file('headers'), planFile: file('plan.yaml') },
  };
  writeFileSync(named.bodyFile, '{"zen":"Keep it simple."}');
  writeFileSync(named.secretFile, secretText('of-github'));
  writeFileSync(
    named.headersFile,
    await succeeded(['sign', 'github', '--body-file', named.bodyFile, '--secret-file', named.secretFile]),
  );
  await succeeded(['export', '--output', named.planFile]);
});

test('each command of the command line has a call here', () => {
  const names = commandsOf(programOfPage()).map(([name]) => name);
  expect(Object.keys(everyCommand).sort()).toEqual(names.sort());
});

/** Makes the calls, some at a time, and returns those with which something is wrong. */
async function wrongOf(all: typeof calls, check: (args: string[], call: Call, at: number) => Promise<string[]>) {
  const limit = pLimit(atOnce);
  const wrong = await Promise.all(
    all.map(([name, call], at) =>
      limit(async () => ({ name, found: await check(argsOf(name, call, named), call, at) })),
    ),
  );
  return wrong.filter(({ found }) => found.length > 0);
}

/** Makes a call again while Temporal is late: `shown` is what the call prints then. */
const unlessLate = <Ran extends { shown: string }>(call: () => Promise<Ran>) =>
  until('Temporal answers in time', async () => {
    const ran = await call();
    return !engineLate.test(ran.shown) && ran;
  });

test.each([80, 40])(
  'in a terminal of %i columns, each command that only reads prints lines that fit',
  async (columns) => {
    const wrong = await wrongOf(reading, async (args, { wholeLines, codes = [0] }) => {
      const { code, shown } = await unlessLate(async () => {
        const run = ptyCli(args, {
          columns,
          program: [process.execPath, bundle.file],
          env: { ...gatewayEnv(gateway), ...state },
        });
        return { code: await run.ended, shown: run.text() };
      });
      // An error stays whole: the command that it names is there to be copied.
      const lines = shown.replace(/^error: [\s\S]*/m, '').split('\n');
      return [
        ...(codes.includes(code) ? [] : [`it ended with ${code}: ${shown}`]),
        ...(lines.some((line) => line.trim() !== '') ? [] : ['it printed nothing']),
        ...(wholeLines ? [] : lines.filter((line) => line.length > columns)),
      ];
    });
    expect(wrong).toEqual([]);
  },
);

test('in a pipe, each command that only reads prints its result without colours, and nothing else', async () => {
  const wrong = await wrongOf(reading, async (args, { codes = [0] }) => {
    const env = { ...process.env, XDG_CONFIG_HOME: '/nonexistent', ...gatewayEnv(gateway), ...state };
    const { exitCode, stdout, stderr } = await unlessLate(async () => {
      const run = await execa(process.execPath, [bundle.file, ...args], {
        ...{ env, extendEnv: false, reject: false, stripFinalNewline: false },
      });
      return { exitCode: run.exitCode, stdout: run.stdout, stderr: run.stderr, shown: run.stderr };
    });
    return [
      ...(codes.includes(exitCode ?? -1) ? [] : [`it ended with ${exitCode}: ${stderr}`]),
      ...(stdout.trim() === '' ? ['it printed nothing'] : []),
      ...(stderr === '' || exitCode !== 0 ? [] : [`on standard error: ${stderr}`]),
      ...(stdout.includes('\u001b') ? ['it printed escape sequences'] : []),
    ];
  });
  expect(wrong).toEqual([]);
});

/** What is wrong with an error: it must have this code, and after what has happened a line that says what to do. */
function wrongError({ code, stdout, stderr }: CliResult, expected: number, next: string): string[] {
  const [happened = '', ...todo] = stderr.trimEnd().split('\n').slice(-2);
  return [
    ...(code === expected ? [] : [`it ended with ${code}`]),
    ...(stdout === '' ? [] : [`it printed ${stdout}`]),
    ...(/^error: ./.test(happened) && todo.join().includes(next) ? [] : [stderr]),
  ];
}

test('with a wrong token, each command ends with 4 and says how to set another one', async () => {
  const wrong = await wrongOf(calling, async (args, _, at) => {
    // The gateway answers 429 after ten wrong tokens from one address.
    const { url: GATEWAY_URL } = await proxyTo(gateway.baseUrl, `127.0.1.${at + 1}`);
    const env = { GATEWAY_URL, GATEWAY_TOKEN: secretText('wrong'), ...state };
    return wrongError(await runCli(args, { env, input: env.GATEWAY_TOKEN }), 4, 'webhook-gateway login');
  });
  expect(wrong).toEqual([]);
});

test('without a gateway, each command ends with 1 and says what to check', async () => {
  const wrong = await wrongOf(calling, async (args) => {
    const env = { GATEWAY_URL: 'http://127.0.0.1:1999', GATEWAY_TOKEN: 'x', ...state };
    return wrongError(await runCli(args, { env, input: env.GATEWAY_TOKEN }), 1, 'Check the address');
  });
  expect(wrong).toEqual([]);
});
