import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';
import { gatewayEnv, runCli } from './support.ts';

const runs = 8;
// A token compares secrets of ten accounts a minute: each run and command has one of its own.
const tokens = Array.from({ length: runs * 4 }, (_, n) => ({
  name: `any-${n}`,
  token: secretText(`a-token-of-any-${n}`),
}));
const gateway = useGateway({ worker: false, adminTokens: tokens });

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plan-any-'));
});
afterAll(() => rm(folder, { recursive: true }));

const env = {
  ...{ SECRET_A: secretText('the first secret'), SECRET_B: secretText('the-second-secret') },
  ...{ URL_A: 'https://user:pa%20ss@shop.example', URL_B: 'https://chat.example/T0/a-secret-path' },
};
const secret = fc.constantFrom(`\${env:SECRET_A}`, `\${env:SECRET_B}`);
const url = fc.constantFrom('https://one.example/hook', 'https://two.example', `\${env:URL_A}`);
const words = fc.stringMatching(/^[ -~äöü]{1,30}$/);
const duration = fc.constantFrom('60s', '1m', '90s', '1.5m', '2000ms');
const optional = (fields: Record<string, fc.Arbitrary<unknown>>, required: string[] = []) =>
  fc.record(fields, { requiredKeys: required });

const settings = {
  enabled: fc.boolean(),
  condition: fc.constantFrom(null, 'event_type == "a"', ' event_type.startswith("b") '),
  headers: fc.constantFrom(null, {}, { 'X-Team': 'a b' }),
  timeout: fc.constantFrom('30s', '1500ms', '1m'),
  schedule: fc.array(duration, { maxLength: 3 }),
  success: fc.constantFrom(null, ['2xx', '!202']),
  final: fc.constantFrom(null, ['410']),
  signature: fc.constantFrom(null, 'ed25519'),
  authentication: fc.oneof(
    fc.constant(null),
    fc.record({ type: fc.constant('basic'), username: fc.constant('user'), password: secret }),
    fc.record({ type: fc.constant('bearer'), token: fc.constant(`\${env:SECRET_B}`) }),
    optional(
      {
        ...{ type: fc.constant('oauth2'), token_url: fc.constant('https://login.example/token') },
        ...{ client_id: fc.constant('gateway'), client_secret: secret, scope: fc.constant('hooks') },
        client_auth: fc.constantFrom('basic', 'body'),
      },
      ['type', 'token_url', 'client_id', 'client_secret'],
    ),
  ),
};
const kinds = fc.subarray(['incident.resolved', 'delivery.failed', 'incident.opened'], { minLength: 1 });
const ofDestination = { kinds, enabled: fc.boolean(), position: fc.integer({ min: -5, max: 5 }) };
const destination = fc.oneof(
  optional(
    {
      ...{ destination_type: fc.constant('email'), ...ofDestination },
      config: optional({ addresses: fc.constant(['a@example.com']), include_payload: fc.boolean() }, ['addresses']),
    },
    ['destination_type', 'config'],
  ),
  optional(
    {
      ...{ destination_type: fc.constant('webhook'), ...ofDestination },
      config: optional({ url, secret: fc.oneof(secret, fc.constant(null)) }, ['url']),
    },
    ['destination_type', 'config'],
  ),
  optional(
    {
      ...{ destination_type: fc.constantFrom('chat_one', 'chat_two'), ...ofDestination },
      config: fc.record({ webhook_url: fc.constant(`\${env:URL_B}`) }),
    },
    ['destination_type', 'config'],
  ),
);
const account = optional(
  {
    ...{
      app_key: fc.constantFrom('my-app', 'other'),
      org_id: fc.oneof(words, fc.constant(null)),
      enabled: fc.boolean(),
    },
    ...{ signing_secret_current: secret, delivery_secret: fc.oneof(secret, fc.constant(null)), delivery_url: url },
    ...{ project_id: words, project_delivery_url: url, skip_signature_verification: fc.boolean() },
    provider_config: fc.constant({}),
    consumers: optional({
      default: optional(settings),
      billing: optional({ url, secret, ...settings }, ['url']),
      'other-1': optional({ url, secret: fc.constant(null), ...settings }, ['url']),
    }),
    destinations: fc.dictionary(words, destination, { maxKeys: 3 }),
  },
  ['app_key'],
);
// The same two accounts in each run, so that a run changes what the one before has left.
const files = fc.record({ 'generic/any': account, 'standard/any.1': account });

test('any file is applied, and then neither it nor an export of the gateway differs', async () => {
  let used = 0;
  const run = (args: string[], variables: Record<string, string>) => {
    used += 1;
    return runCli(args, {
      env: { ...gatewayEnv(gateway), GATEWAY_TOKEN: tokens[used % tokens.length]?.token ?? '', ...variables },
    });
  };
  const given = fc.asyncProperty(files, async (accounts) => {
    const file = join(folder, 'gateway.yaml');
    // The secret of `standard` has a form of its own.
    const text = stringify({ accounts }).replaceAll(
      /signing_secret_current: .*/g,
      `signing_secret_current: \${env:STANDARD}`,
    );
    await writeFile(file, text);
    const variables = {
      ...env,
      STANDARD: `whsec_${Buffer.from(secretText('a secret of standard webhooks')).toString('base64')}`,
    };
    expect(await run(['apply', '-f', file, '--prune', '--yes'], variables)).toMatchObject({ code: 0, stderr: '' });
    expect(await run(['plan', '-f', file, '--prune'], variables)).toMatchObject({
      code: 0,
      stdout: 'Nothing to change.\n',
    });
    const exported = await run(['export'], {});
    await writeFile(file, exported.stdout);
    expect(await run(['plan', '-f', file, '--prune', '--json'], {})).toMatchObject({ code: 0 });
  });
  await fc.assert(given, { numRuns: runs });
});
