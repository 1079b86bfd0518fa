import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import semver from 'semver';
import { describe, expect, test } from 'vitest';
import { version } from '../../src/cli/version.ts';
import { consumerForTest } from '../support/consumer.ts';
import { folderForTest } from '../support/folder-for-test.ts';
import { listenForTest } from '../support/listen-for-test.ts';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';
import { useBundle } from './bundle.ts';
import { idsAt, webhooksOf } from './listen-session.ts';
import { expectRecorded } from './recorded.ts';
import { gatewayEnv, ptyCli, runCli } from './support.ts';

const gateway = useGateway({ worker: false });
const { accountOf, send, stateEnv } = webhooksOf(() => gateway);
const run = promisify(execFile);
/** Debian's, which is the oldest that the bundle supports. Machines with an older one or none test it with the Node of the tests. */
const system = '/usr/bin/node';
const isSupported =
  existsSync(system) && semver.gte(execFileSync(system, ['--version'], { encoding: 'utf8' }), '20.0.0');
const node = isSupported ? system : process.execPath;
const built = useBundle();
const program = () => [node, built.file] as const;
const inTerminal = (args: string[], columns: number, env: Record<string, string> = {}) =>
  ptyCli(args, { columns, program: program(), env: { ...gatewayEnv(gateway), ...env } });

/** What bash prints for a script in which `cli` is the command line. */
async function bash(script: string): Promise<string> {
  const env = { ...process.env, ...gatewayEnv(gateway), XDG_CONFIG_HOME: '/nonexistent' };
  const { stdout } = await run('bash', ['-c', `cli() { '${node}' '${built.file}' "$@"; }\n${script}`], { env });
  return stdout;
}

test('the bundle needs no package and no newer Node than 20, and is executable', async () => {
  expect(await bash('cli --version')).toBe(`${version}\n`);
  expect(statSync(built.file).mode & 0o777).toBe(0o755);
  expect(readFileSync(built.file, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
});

describe('in a terminal', () => {
  test.each([80, 40])('lists, records and help fit %i columns', async (columns) => {
    const { account_slug } = await gateway.admin.createAccount({
      ...{ app_key: 'narrow', delivery_url: `https://consumer.example/${'x'.repeat(60)}` },
    });
    const commands = [
      ['accounts', 'list'],
      ['accounts', 'show', `generic/${account_slug}`],
      ['events', 'list', '--help'],
    ];
    for (const args of commands) {
      const shown = inTerminal(args, columns);
      expect(await shown.ended, shown.text()).toBe(0);
      const widths = shown
        .text()
        // The line of the usage is one.
        .replace(/^Usage: .*$/m, '')
        .split('\n')
        .map((line) => line.length);
      expect(Math.max(...widths), shown.text()).toBeLessThanOrEqual(columns);
    }
  });

  test('there are colours, and none with NO_COLOR', async () => {
    const colored = inTerminal(['accounts', 'list'], 80);
    await colored.ended;
    expect(colored.raw()).toContain('\u001b[1m');
    const plain = inTerminal(['accounts', 'list'], 80, { NO_COLOR: '1' });
    await plain.ended;
    expect(plain.raw()).not.toContain('\u001b[');
  });

  test('a deletion is asked for: no and Ctrl-C delete nothing, yes deletes', async () => {
    const { account_slug, id } = await gateway.admin.createAccount({});
    for (const [keys, code, status] of [
      ['n\r', 2, 200],
      ['\u0003', 130, 200],
      ['y\r', 0, 404],
    ] as const) {
      const shown = inTerminal(['accounts', 'delete', `generic/${account_slug}`], 80);
      await until('the question is shown', () => shown.text().includes(`Delete generic/${account_slug}?`));
      shown.write(keys);
      expect(await shown.ended, shown.text()).toBe(code);
      expect((await gateway.admin.request('GET', `/admin/accounts/${id}`)).status).toBe(status);
    }
  });

  test.each([80, 40])('of %i columns, listen replays the selected event with r, and q ends it', async (columns) => {
    const account = await accountOf();
    const consumer = await consumerForTest();
    const shown = inTerminal(['listen', '--account', account, '--forward', consumer.url], columns, stateEnv());
    await until('it is ready', () => shown.text().includes('[ready]'));
    const [older, newer] = await send(account, 2);
    await until(
      'both are forwarded',
      () => consumer.deliveries.length === 2 && shown.text().match(/ 200 +\d+ ms\r?\n/g)?.length === 2,
    );
    shown.write('r');
    await until('the newest one is replayed', () => consumer.deliveries.length === 3);
    shown.write('\u001b[A');
    shown.write('r');
    await until('the one before is replayed', () => consumer.deliveries.length === 4);
    expect(idsAt(consumer)).toEqual([older, newer, newer, older]);
    expect(consumer.deliveries[3]?.headers).toMatchObject({ 'x-webhook-replay': 'true', 'x-webhook-attempt': '2' });
    shown.write('q');
    expect(await shown.ended).toBe(0);
  });

  test('login asks for the token without showing it, and keeps it in a file of mode 0600', async () => {
    const folder = folderForTest();
    const env = { XDG_CONFIG_HOME: folder, GATEWAY_URL: '', GATEWAY_TOKEN: '' };
    const shown = inTerminal(['login', '--url', gateway.baseUrl], 80, env);
    await until('the question is shown', () => shown.text().includes('Token:'));
    shown.write(`${gateway.adminToken}\r`);
    expect(await shown.ended, shown.text()).toBe(0);
    expect(shown.text()).not.toContain(gateway.adminToken);
    const file = join(folder, 'webhook-gateway', 'profiles.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await runCli(['accounts', 'list'], { env })).toMatchObject({ code: 0 });
    const elsewhere = await runCli(['accounts', 'list', '--url', 'http://127.0.0.1:1'], { env });
    expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('no token for http://127.0.0.1:1') });
  });
});

test('login and logout work without a terminal; flags come before the environment, and that before the profile', async () => {
  const env = { ...gatewayEnv(gateway), XDG_CONFIG_HOME: folderForTest() };
  const replace: [RegExp, string][] = [[/ \/\S+(?=\/webhook-gateway\/profiles)/g, ' ~/.config']];
  await expectRecorded('login', ['login', '--url', gateway.baseUrl, '--token-file', '-'], {
    ...{ env, replace, input: `${gateway.adminToken}\n` },
  });
  const byEnvironment = { GATEWAY_URL: gateway.baseUrl, XDG_CONFIG_HOME: folderForTest() };
  expect(
    await runCli(['login', '--token-file', '-'], { env: byEnvironment, input: `${gateway.adminToken}\n` }),
  ).toMatchObject({ code: 0, stderr: expect.stringContaining(`Logged in at ${gateway.baseUrl}`) });
  const wrong = secretText('wrong-token');
  const ofProfile = await runCli(['accounts', 'list'], { env: { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME } });
  expect(ofProfile.code).toBe(0);
  expect((await runCli(['accounts', 'list'], { env: { ...env, GATEWAY_TOKEN: wrong } })).code).toBe(4);
  expect((await runCli(['accounts', 'list', '--token', wrong], { env })).code).toBe(4);
  expect(
    (await runCli(['accounts', 'list', '--profile', 'default'], { env: { ...env, GATEWAY_TOKEN: wrong } })).code,
  ).toBe(0);
  await expectRecorded('logout', ['logout'], { env });
  expect(await runCli(['logout'], { env })).toMatchObject({ code: 3 });
});

test('a wrong token ends with 4, a gateway that is away with 1, and both errors say what to do', async () => {
  const refused = await runCli(['status'], { env: { ...gatewayEnv(gateway), GATEWAY_TOKEN: secretText('wrong') } });
  expect(refused).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('webhook-gateway login') });
  const away = await runCli(['status'], { env: { GATEWAY_URL: 'http://127.0.0.1:1999', GATEWAY_TOKEN: 'x' } });
  expect(away).toMatchObject({ code: 1, stdout: '' });
  expect(away.stderr).toMatch(/no response from http:\/\/127\.0\.0\.1:1999: .*ECONNREFUSED[\s\S]*Check the address/);
});

test('a redirect is not followed with the token, and a web page is not taken for an answer', async () => {
  const paths: string[] = [];
  const other = createServer(({ url = '' }, response) => {
    paths.push(url);
    if (url.startsWith('/moved')) response.writeHead(302, { location: '/new' }).end();
    else response.setHeader('content-type', 'text/html').end('<h1>Welcome</h1>');
  });
  const url = `http://127.0.0.1:${await listenForTest(other)}`;
  const at = (path: string) =>
    runCli(['accounts', 'list'], { env: { GATEWAY_URL: `${url}${path}`, GATEWAY_TOKEN: 'x' } });
  expect(await at('/moved')).toMatchObject({ code: 1, stderr: expect.stringContaining('/moved redirects to /new') });
  expect(await at('')).toMatchObject({ code: 1, stderr: expect.stringContaining('answered with a web page') });
  expect(paths).toEqual(['/moved/admin/accounts', '/admin/accounts']);
});

test('a mistyped command ends with 2 and a suggestion', async () => {
  expect(await runCli(['acounts'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean accounts?'),
  });
});

test('Ctrl-C during a call ends with 130 and prints nothing', async () => {
  // It never answers.
  let called = false;
  const silent = createServer(() => {
    called = true;
  });
  const GATEWAY_URL = `http://127.0.0.1:${await listenForTest(silent)}`;
  const env = { ...process.env, GATEWAY_URL, GATEWAY_TOKEN: 'x' };
  const child = spawn(node, [built.file, 'accounts', 'list', '--json'], { env });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  await until('the call has arrived', () => called);
  child.kill('SIGINT');
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(130);
  expect(await output).toEqual(['', '']);
});

test('a reader that closes the pipe ends the command quietly with 0', async () => {
  expect(await bash('cli accounts list --json 2>&1 | true; echo $PIPESTATUS')).toBe('0\n');
});

test('a command that changes something goes on without its reader, and keeps its exit code', async () => {
  const file = join(folderForTest(), 'gateway.yaml');
  writeFileSync(
    file,
    'accounts:\n  generic/unread-one: { app_key: unread }\n  generic/unread-two: { app_key: unread }\n',
  );
  expect(await bash(`cli plan -f '${file}' 2>&1 | true; echo $PIPESTATUS`)).toBe('5\n');
  expect(await bash(`cli apply -f '${file}' --yes 2>&1 | true; echo $PIPESTATUS`)).toBe('0\n');
  const { body } = await gateway.admin.request('GET', '/admin/accounts?app_key=unread');
  expect(body).toHaveLength(2);
});

test('bash completes commands and options; the scripts of zsh and fish are printed', async () => {
  const head = await bash('cli completion bash | head -n 1');
  await expect(`$ webhook-gateway completion bash | head -n 1\n${head}`).toMatchFileSnapshot('recorded/completion.txt');
  // Of the package bash-completion, which not every machine has.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: bash replaces them
  const words = '_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; }';
  const shell = `webhook-gateway() { cli "$@"; }; ${words}; source <(cli completion bash)`;
  const complete = (line: string) =>
    bash(
      `${shell}; COMP_WORDS=(${line} ''); COMP_LINE='${line} '; COMP_POINT=\${#COMP_LINE}; COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); __webhook_gateway_complete; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
  expect(await complete('webhook-gateway accounts')).toMatch(/^list\b[\s\S]*^delete\b/m);
  expect(await bash('cli complete -- events list --st')).toContain('--state');
  expect(await bash('cli completion zsh')).toContain('#compdef webhook-gateway');
  expect(await bash('cli completion fish')).toContain('complete -c webhook-gateway');
});
