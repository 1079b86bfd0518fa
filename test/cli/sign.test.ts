import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import twilioLibrary from 'twilio';
import { afterAll, expect, test } from 'vitest';
import { sampleOf } from '../support/providers/webhook.ts';
import { newWhsec, secretText } from '../support/secrets.ts';
import { runCli } from './support.ts';

const { validateRequestWithBody } = twilioLibrary;

const folder = mkdtempSync(join(tmpdir(), 'cli-sign-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fileOf = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** GitLab signs with a signing token only; a secret token is sent. */
const signsAsStandard = ['standard', 'gitlab', 'stripe'];

test('verify accepts what sign has signed, and refuses a changed body', async () => {
  const body = JSON.stringify({ id: 'evt_1', type: 'contact.created', 'event-data': { id: 'x', event: 'opened' } });
  for (const provider of [
    'generic',
    'github',
    'gitlab',
    'intercom',
    'mailgun',
    'meta',
    'shopify',
    'slack',
    'standard',
    'stripe',
    'vonage',
  ]) {
    const secretFile = fileOf('secret', signsAsStandard.includes(provider) ? newWhsec() : secretText('signing'));
    const args = [provider, '--secret-file', secretFile];
    const signed = await runCli(['sign', ...args, '--json'], { input: body });
    expect(signed, provider).toMatchObject({ code: 0 });
    const { headers, body: changed } = JSON.parse(signed.stdout);
    const headersFile = fileOf('headers', headers.map((header: string[]) => header.join(': ')).join('\n'));
    const sent = changed === null ? body : Buffer.from(changed, 'base64').toString();
    const verify = (input: string) => runCli(['verify', ...args, '--headers-file', headersFile], { input });
    expect(await verify(sent), provider).toMatchObject({ code: 0 });
    if (!sampleOf(provider).coversBody) continue;
    const refused = await verify(`${sent} `);
    expect(refused, provider).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain('bad_signature');
  }
});

test.each(['support_chat', 'twilio'])('verify takes the query of %s from what sign has printed', async (provider) => {
  const options = [provider, '--secret-file', fileOf(provider, secretText(provider))];
  const signed = await runCli(['sign', ...options], { input: '{"a":1}' });
  expect(signed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^query of the address: \?./m) });
  const verify = (printed: string) =>
    runCli(['verify', ...options, '--headers-file', fileOf('printed', printed)], { input: '{"a":1}' });
  expect(await verify(signed.stdout)).toMatchObject({ code: 0 });
  expect(await verify(signed.stdout.replace(/=.*/g, '=x'))).toMatchObject({ code: 1 });
});

test.each([
  'https://gateway.example/twilio/shop?env=live',
  'https://gateway.example:443/twilio/shop#rc=3',
  'https://Gateway.Example/twilio/shop',
  'http://t/twilio/shop',
])('Twilio signs the address as it is written: %s', async (address) => {
  const secret = secretText('twilio-address');
  const options = ['twilio', '--secret-file', fileOf('twilio-address', secret), '--address', address];
  const signed = await runCli(['sign', ...options], { input: '{"a":1}' });
  const [, signature = ''] = /^X-Twilio-Signature: (.+)$/m.exec(signed.stdout) ?? [];
  const [, query = ''] = /^query of the address: (.+)$/m.exec(signed.stdout) ?? [];
  const url = address.replace(/#.*/, '') + query;
  expect(validateRequestWithBody(secret, signature, url, '{"a":1}')).toBe(true);
  const headersFile = fileOf('twilio-address-headers', signed.stdout);
  const verified = await runCli(['verify', ...options, '--headers-file', headersFile], { input: '{"a":1}' });
  expect(verified).toMatchObject({ code: 0 });
});

test('verify says how old a signature is', async () => {
  const options = ['stripe', '--secret-file', fileOf('old', newWhsec())];
  const signed = await runCli(['sign', ...options], { input: '{}' });
  const [, signedS] = /t=(\d+)/.exec(signed.stdout) ?? [];
  const later = new Date((Number(signedS) + 66 * 60) * 1000).toISOString();
  const args = ['verify', ...options, '--headers-file', fileOf('old-headers', signed.stdout), '--at', later];
  const verified = await runCli(args, { input: '{}' });
  expect(verified).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Signed 66 min before it came; the limit is 5 min.'),
  });
});

test('what Twilio signs has the public address of the account', async () => {
  const options = ['twilio', '--secret-file', fileOf('twilio', secretText('twilio'))];
  const address = ['--config', 'public_url=https://hooks.example/'];
  const form = ['--content-type', 'application/x-www-form-urlencoded'];
  const signed = await runCli(['sign', ...options, ...address, ...form, '--json'], { input: 'a=1' });
  expect(signed).toMatchObject({ code: 0 });
  const headers = JSON.parse(signed.stdout).headers.map((header: string[]) => header.join(': '));
  const verify = [...['verify', ...options], '--headers-file', fileOf('twilio-headers', headers.join('\n'))];
  expect(await runCli([...verify, ...address], { input: 'a=1' })).toMatchObject({ code: 0 });
  expect(await runCli(verify, { input: 'a=1' })).toMatchObject({ code: 1 });
});

test('sign and verify read the config of the scheme', async () => {
  const secretFile = fileOf('hmac-secret', secretText('hmac'));
  const scheme = [
    'header=X-Acme',
    'prefix=v1=',
    'signed={timestamp}.{id}.{body}',
    'timestamp_header=X-Time',
    'event_id_header=X-Id',
  ];
  const args = ['hmac', '--secret-file', secretFile, ...scheme.flatMap((field) => ['--config', field])];
  const signed = await runCli(['sign', ...args, '--header', 'X-Id: 7'], { input: 'any text' });
  expect(signed.stdout).toMatch(/^X-Acme: v1=[0-9a-f]{64}$/m);
  const verified = await runCli(
    ['verify', ...args, '--headers-file', fileOf('acme-headers', signed.stdout), '--json'],
    {
      input: 'any text',
    },
  );
  expect(verified).toMatchObject({ code: 0 });
  expect(JSON.parse(verified.stdout)).toMatchObject({ valid: true, external_id: '7' });
});

test('digits in the config of a scheme are a text, and a content type can be given as a header', async () => {
  const options = [
    'meta',
    '--secret-file',
    fileOf('meta-secret', secretText('meta')),
    '--config',
    'verify_token=12345',
  ];
  const signed = await runCli(['sign', ...options, '--header', 'content-type: text/plain'], { input: '{}' });
  expect(signed.stdout.match(/^content-type: .*$/gim)).toEqual(['Content-Type: text/plain']);
  const verify = ['verify', ...options, '--headers-file', fileOf('meta-headers', signed.stdout)];
  expect(await runCli(verify, { input: '{}' })).toMatchObject({ code: 0 });
});
