import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { secretText } from '../support/secrets.ts';
import { everythingStored } from '../support/stored.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });

let made = 0;
const create = (fields: Record<string, unknown>) =>
  gateway.admin.post('/admin/accounts', { app_key: 'tests', account_slug: `slug-${++made}`, ...fields });
const patch = (id: string, fields: unknown) => gateway.admin.request('PATCH', `/admin/accounts/${id}`, fields);
const read = async (id: string) => (await gateway.admin.request('GET', `/admin/accounts/${id}`)).body;

test('only the fields that were set are shown, not the defaults', async () => {
  const plain = await create({ provider: 'stripe' });
  expect(plain).toMatchObject({ status: 201, body: { provider_config: {} } });
  const account = await create({ provider: 'stripe', provider_config: { tolerance_seconds: 60 } });
  expect(account).toMatchObject({ status: 201, body: { provider_config: { tolerance_seconds: 60 } } });
  expect(await read(account.body.id)).toEqual(account.body);
});

test('a change is merged field by field; null removes one, or all', async () => {
  const { body } = await create({ provider: 'meta', provider_config: { verify_token: secretText('hush-hush-token') } });
  expect(body.provider_config).toEqual({ has_verify_token: true });
  expect((await patch(body.id, { provider_config: {} })).body.provider_config).toEqual({ has_verify_token: true });
  expect((await patch(body.id, { app_key: 'else' })).body.provider_config).toEqual({ has_verify_token: true });
  expect((await patch(body.id, { provider_config: { verify_token: null } })).body.provider_config).toEqual({});
  await patch(body.id, { provider_config: { verify_token: secretText('another-token') } });
  expect((await patch(body.id, { provider_config: null })).body.provider_config).toEqual({});
});

test('a secret field is neither shown nor stored in the clear', async () => {
  const { body } = await create({ provider: 'meta', provider_config: { verify_token: secretText('hush-hush-token') } });
  expect(JSON.stringify([body, await read(body.id)])).not.toContain('hush-hush');
  expect(await everythingStored(gateway.database)).not.toContain('hush-hush');
});

test.each<[provider: string, config: Record<string, unknown>, path: string, message: string]>([
  ['generic', { tolerance_seconds: 60 }, 'tolerance_seconds', 'is not a known field'],
  ['stripe', { tolerance: 60 }, 'tolerance', 'is not a known field'],
  ['stripe', { tolerance_seconds: 0 }, 'tolerance_seconds', 'must be 1 or more'],
  ['stripe', { tolerance_seconds: 86_401 }, 'tolerance_seconds', 'must be 86400 or less'],
  ['stripe', { tolerance_seconds: 1.5 }, 'tolerance_seconds', 'must be a whole number'],
  ['stripe', { tolerance_seconds: '60' }, 'tolerance_seconds', 'must be a number'],
])('%s with %j is refused, and nothing changes', async (provider, provider_config, field, message) => {
  const errors = [{ path: `provider_config.${field}`, message }];
  expect(await create({ provider, provider_config })).toMatchObject({ status: 422, body: { code: 'invalid', errors } });
  const { body } = await create({ provider });
  expect(await patch(body.id, { app_key: 'else', provider_config })).toMatchObject({ status: 422, body: { errors } });
  expect(await read(body.id)).toEqual(body);
});

test('a malformed secret is refused, and the answer does not repeat it', async () => {
  const errors = [{ path: 'signing_secret_current', message: 'must begin with whsec_' }];
  const answer = await create({ provider: 'stripe', signing_secret_current: 'sk_live_pasted' });
  expect(answer).toMatchObject({ status: 422, body: { errors } });
  expect(JSON.stringify(answer.body)).not.toContain('sk_live');
  const { body } = await create({ provider: 'stripe', signing_secret_current: 'whsec_0123456789abcdef' });
  expect(await patch(body.id, { signing_secret_previous: 'wrong' })).toMatchObject({
    status: 422,
    body: { errors: [{ path: 'signing_secret_previous', message: 'must begin with whsec_' }] },
  });
  expect((await patch(body.id, { signing_secret_current: null })).body.has_signing_secret_current).toBe(false);
});

describe('a pasted secret', () => {
  const edges = 'must not begin or end with a space or line break';
  const controls = 'must not have line breaks or other control characters';
  test.each([
    ['generic', 'pasted\n', edges],
    ['support_chat', ' pasted', edges],
    ['gitlab', 'pasted\r\n', edges],
    ['github', '\u00a0pasted', edges],
    ['hmac', 'pasted\u200b', edges],
    ['stripe', 'whsec_0123456789abcdef\t', edges],
    ['generic', ' ', edges],
    ['generic', 'pas\nted', controls],
    ['github', 'pas\u0007ted', controls],
  ])('%s: %j is refused', async (provider, secret, message) => {
    const config = provider === 'hmac' ? { provider_config: { header: 'X-Signature' } } : {};
    const { body } = await create({ provider, ...config });
    for (const path of ['signing_secret_current', 'signing_secret_previous']) {
      const errors = [{ path, message }];
      const refused = { status: 422, body: { code: 'invalid', errors } };
      expect(await create({ provider, ...config, [path]: secret })).toMatchObject(refused);
      expect(await patch(body.id, { [path]: secret })).toMatchObject(refused);
    }
    expect(await read(body.id)).toEqual(body);
  });

  test('with inner spaces, other scripts or the lines of a PEM key is accepted', async () => {
    const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'pem', type: 'spki' });
    for (const [provider, secret] of [
      ['generic', 'two words'],
      ['generic', 'ключ 🔑'],
      ['sendgrid', String(pem).trim()],
      ['sendgrid', String(pem).trim().replaceAll('\n', '\r\n')],
    ])
      expect(await create({ provider, signing_secret_current: secret })).toMatchObject({ status: 201 });
  });
});

describe('a secret is checked against the provider config', () => {
  const hex = { header: 'X-Signature', secret_encoding: 'hex' };
  const errors = (
    path: string,
    message = 'must be hexadecimal digits, two for each byte, as secret_encoding says',
  ) => ({
    status: 422,
    body: { code: 'invalid', errors: [{ path, message }] },
  });

  test('when the secret is set', async () => {
    expect(await create({ provider: 'hmac', provider_config: hex, signing_secret_current: 'zz' })).toMatchObject(
      errors('signing_secret_current'),
    );
    const { body } = await create({ provider: 'hmac', provider_config: hex, signing_secret_current: 'ab12' });
    // This change has no config, so the stored one counts.
    expect(await patch(body.id, { signing_secret_previous: 'zz' })).toMatchObject(errors('signing_secret_previous'));
    expect(await patch(body.id, { signing_secret_previous: 'cd34' })).toMatchObject({ status: 200 });
  });

  test('when the config is changed', async () => {
    const { body } = await create({
      ...{ provider: 'hmac', provider_config: { header: 'X-Signature' } },
      ...{ signing_secret_current: 'ab12', signing_secret_previous: 'no hex' },
    });
    const changed = { provider_config: { secret_encoding: 'hex' } };
    expect(await patch(body.id, changed)).toMatchObject(errors('signing_secret_previous'));
    expect(await patch(body.id, { provider_config: { secret_encoding: 'base64' } })).toMatchObject(
      errors('signing_secret_previous', 'must be base64, as secret_encoding says'),
    );
    expect(await read(body.id)).toEqual(body);
    expect(await patch(body.id, { ...changed, signing_secret_previous: null })).toMatchObject({ status: 200 });
    // Without an encoding any text is a valid secret.
    const text = { provider_config: { secret_encoding: null }, signing_secret_previous: 'no hex' };
    expect(await patch(body.id, text)).toMatchObject({ status: 200 });
  });
});

test('a change of the provider checks the stored secrets by its rules, and clears the former config', async () => {
  const { body } = await create({ provider: 'generic', signing_secret_current: 'a shared secret' });
  expect(await patch(body.id, { provider: 'stripe' })).toMatchObject({
    status: 422,
    body: { errors: [{ path: 'signing_secret_current', message: 'must begin with whsec_' }] },
  });
  const change = {
    provider: 'stripe',
    signing_secret_current: 'whsec_0123456789abcdef',
    provider_config: { tolerance_seconds: 9 },
  };
  expect((await patch(body.id, change)).body).toMatchObject({
    provider: 'stripe',
    provider_config: { tolerance_seconds: 9 },
  });
  expect((await patch(body.id, { provider: 'generic' })).body).toMatchObject({
    provider: 'generic',
    provider_config: {},
  });
});

test('the list of providers says what each provider needs', async () => {
  const { status, body } = await gateway.admin.request('GET', '/admin/providers');
  expect(status).toBe(200);
  const names = body.map((provider: { name: string }) => provider.name);
  expect(names).toContain('generic');
  const stripe = body.find((provider: { name: string }) => provider.name === 'stripe');
  expect(stripe).toMatchObject({
    title: 'Stripe',
    ingestion_path: '/stripe/{account_slug}',
    ingestion_url: `${gateway.baseUrl}/stripe/{account_slug}`,
    trial_url: `${gateway.baseUrl}/health/live`,
    secret: { label: 'Signing secret' },
    config: {
      type: 'object',
      properties: { tolerance_seconds: { type: 'integer', minimum: 1, maximum: 86_400, default: 300 } },
      additionalProperties: false,
    },
    handshake: false,
    verification: 'HMAC-SHA256 over time and body',
    documentation: 'docs/providers/stripe.md',
  });
  for (const name of names)
    expect((await create({ provider: name })).status, `an account of ${name} without any config`).toBeOneOf([201, 422]);
});
