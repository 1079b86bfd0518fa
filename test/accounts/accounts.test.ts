import { describe, expect, test } from 'vitest';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';

const unknownId = '01900000-0000-7000-8000-000000000000';

const gateway = useGateway({ worker: false });

const admin = (method: string, path: string, body?: unknown) => gateway.admin.request(method, `/admin${path}`, body);
let made = 0;
const required = () => ({ provider: 'generic', account_slug: `slug-${++made}`, app_key: 'tests' });
const uuidv7 = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** An account as the routes show it, created with the required fields only. */
const bare = (fields: Record<string, unknown>) => ({
  id: uuidv7,
  org_id: null,
  delivery_url: null,
  enabled: true,
  skip_signature_verification: false,
  provider_config: {},
  project_id: null,
  project_delivery_url: null,
  has_signing_secret_current: false,
  has_signing_secret_previous: false,
  signing_secret_previous_expires_at: null,
  has_delivery_secret: false,
  delivery_secret_previous_expires_at: null,
  has_project_delivery_secret: false,
  project_delivery_secret_previous_expires_at: null,
  paused: null,
  created_at: iso,
  updated_at: iso,
  warnings: [],
  ...fields,
});

const every = {
  org_id: 'org',
  signing_secret_current: secretText('one'),
  signing_secret_previous: secretText('two'),
  skip_signature_verification: true,
  delivery_url: 'https://consumer.test/hook?a=b#c',
  delivery_secret: secretText('three'),
  project_id: 'project',
  project_delivery_url: 'http://93.184.215.14:8080/',
  project_delivery_secret: secretText('four'),
  enabled: false,
};
const everyShown = {
  org_id: 'org',
  skip_signature_verification: true,
  delivery_url: every.delivery_url,
  project_id: 'project',
  project_delivery_url: every.project_delivery_url,
  enabled: false,
  has_signing_secret_current: true,
  has_signing_secret_previous: true,
  has_delivery_secret: true,
  has_project_delivery_secret: true,
};

describe('create', () => {
  test('with the required fields', async () => {
    const fields = required();
    const created = await admin('POST', '/accounts', fields);
    expect(created.status).toBe(201);
    expect(created.headers.get('content-type')).toMatch(/^application\/json/);
    expect(created.body).toEqual(bare(fields));
  });
  test('with all fields', async () => {
    const fields = required();
    const created = await admin('POST', '/accounts', { ...fields, ...every });
    expect(created).toMatchObject({ status: 201 });
    expect(created.body).toEqual(bare({ ...fields, ...everyShown }));
    expect(await admin('GET', `/accounts/${created.body.id}`)).toMatchObject({ status: 200, body: created.body });
  });
  test('with a slug that is taken is 409; the same slug of another provider is free', async () => {
    const fields = required();
    await admin('POST', '/accounts', fields);
    const second = await admin('POST', '/accounts', fields);
    expect(second).toMatchObject({ status: 409, body: { code: 'conflict', errors: [{ path: 'account_slug' }] } });
    expect(second.headers.get('content-type')).toBe('application/problem+json');
    expect((await admin('POST', '/accounts', { ...fields, provider: 'support_chat' })).status).toBe(201);
  });
  test('of 20 concurrent requests for one slug exactly one succeeds', async () => {
    const fields = required();
    const answers = await Promise.all(Array.from({ length: 20 }, () => admin('POST', '/accounts', fields)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });
});

describe('list', () => {
  test('shows exactly the fields of R14, and no deleted account', async () => {
    const fields = { ...required(), app_key: 'list' };
    const { body: kept } = await admin('POST', '/accounts', { ...fields, ...every });
    const { body: gone } = await admin('POST', '/accounts', { ...required(), app_key: 'list' });
    await admin('DELETE', `/accounts/${gone.id}`);
    expect((await admin('GET', '/accounts?app_key=list')).body).toEqual([
      {
        id: kept.id,
        provider: 'generic',
        account_slug: fields.account_slug,
        app_key: 'list',
        org_id: 'org',
        delivery_url: every.delivery_url,
        enabled: false,
        skip_signature_verification: true,
      },
    ]);
  });
  test('filters by app_key and provider, exactly', async () => {
    const make = async (provider: string, app_key: string) =>
      (await admin('POST', '/accounts', { ...required(), provider, app_key })).body.id;
    const a = await make('generic', 'shop & co');
    const b = await make('support_chat', 'shop & co');
    const c = await make('generic', 'shop & coal');
    const ids = async (query: string) =>
      (await admin('GET', `/accounts${query}`)).body.map((account: { id: string }) => account.id);
    expect(await ids('?app_key=shop%20%26%20co')).toEqual([a, b]);
    expect(await ids('?app_key=shop+%26+co&provider=support_chat')).toEqual([b]);
    expect(await ids('?app_key=shop+%26+coal')).toEqual([c]);
    expect(await ids('?app_key=SHOP+%26+CO')).toEqual([]);
    expect(await ids('?provider=support_chat')).toContain(b);
    expect(await ids('?provider=support_chat')).not.toContain(a);
    expect(await ids('')).toEqual(expect.arrayContaining([a, b, c]));
  });
  test.each(['a,b', ',', '[1]', '{"a":1}', '[', 'true', '1', 'null', 'a&b=c#d', 'a+b %41', 'ключ 😀'])(
    'finds the app_key %s',
    async (app_key) => {
      const { body } = await admin('POST', '/accounts', { ...required(), app_key });
      expect(await admin('GET', `/accounts?${new URLSearchParams({ app_key })}`)).toMatchObject({
        ...{ status: 200, body: [{ id: body.id, app_key }] },
      });
    },
  );
  test.each([
    ['?app_key=%00', 'app_key'],
    ['?provider=a&provider=b', 'provider'],
    ['?org_id=a', 'org_id'],
  ])('%s is 422', async (query, path) => {
    expect(await admin('GET', `/accounts${query}`)).toMatchObject({ status: 422, body: { errors: [{ path }] } });
  });
});

describe('change', () => {
  test('changes only what is sent, and null clears', async () => {
    const fields = required();
    const { body: before } = await admin('POST', '/accounts', { ...fields, ...every });
    const patch = async (change: unknown) => {
      const answer = await admin('PATCH', `/accounts/${before.id}`, change);
      expect(answer.status).toBe(200);
      expect(answer.body.updated_at >= before.updated_at).toBe(true);
      return { ...answer.body, updated_at: before.updated_at };
    };
    expect(await patch({})).toEqual(before);
    expect(await patch({ enabled: true })).toEqual({ ...before, enabled: true });
    const cleared = {
      org_id: null,
      signing_secret_previous: null,
      delivery_url: null,
      project_delivery_secret: '',
    };
    const after = { ...before, enabled: true, org_id: null, delivery_url: null };
    const expected = { ...after, has_signing_secret_previous: false, has_project_delivery_secret: false };
    expect(await patch(cleared)).toEqual(expected);
    const moved = { provider: 'support_chat', account_slug: `moved-${made}`, app_key: 'other' };
    expect(await patch(moved)).toEqual({ ...expected, ...moved });
    expect((await admin('GET', `/accounts/${before.id}`)).body).toMatchObject({
      ...expected,
      ...moved,
      updated_at: iso,
    });
  });
  test('to a taken slug is 409 and changes nothing', async () => {
    const [one, two] = [required(), required()];
    await admin('POST', '/accounts', one);
    const { body: account } = await admin('POST', '/accounts', two);
    const change = { account_slug: one.account_slug, app_key: 'changed' };
    expect(await admin('PATCH', `/accounts/${account.id}`, change)).toMatchObject({ status: 409 });
    expect((await admin('GET', `/accounts/${account.id}`)).body).toEqual(account);
    expect(await admin('PATCH', `/accounts/${account.id}`, { account_slug: two.account_slug })).toMatchObject({
      status: 200,
    });
  });
  test('concurrent changes of different fields lose nothing', async () => {
    const { body } = await admin('POST', '/accounts', required());
    const changes = [
      { org_id: 'o' },
      { delivery_url: 'https://a.test/' },
      { project_id: 'p' },
      { enabled: false },
      { signing_secret_current: 's' },
      { delivery_secret: 'd' },
    ];
    const answers = await Promise.all(changes.map((change) => admin('PATCH', `/accounts/${body.id}`, change)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(changes.length).fill(200));
    expect((await admin('GET', `/accounts/${body.id}`)).body).toMatchObject({
      org_id: 'o',
      delivery_url: 'https://a.test/',
      project_id: 'p',
      enabled: false,
      has_signing_secret_current: true,
      has_delivery_secret: true,
    });
  });
});

describe('delete', () => {
  test('is 204 without a body, once; then the id is 404 and the slug is free', async () => {
    const fields = required();
    const { body } = await admin('POST', '/accounts', fields);
    expect(await admin('DELETE', `/accounts/${body.id}`)).toMatchObject({ status: 204, body: null });
    expect((await admin('GET', `/accounts/${body.id}`)).status).toBe(404);
    expect((await admin('PATCH', `/accounts/${body.id}`, { enabled: true })).status).toBe(404);
    expect((await admin('DELETE', `/accounts/${body.id}`)).status).toBe(404);
    const again = await admin('POST', '/accounts', fields);
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(body.id);
  });
  test('of concurrent requests exactly one deletes', async () => {
    const { body } = await admin('POST', '/accounts', required());
    const answers = await Promise.all(Array.from({ length: 10 }, () => admin('DELETE', `/accounts/${body.id}`)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, ...Array(9).fill(404)]);
  });
});

test.each([unknownId, 'nope', '%00', '%', "'", unknownId.replace('0190', '019g'), `${unknownId}0`])(
  'the id %s is 404 everywhere',
  async (id) => {
    const answers = await Promise.all([
      admin('GET', `/accounts/${id}`),
      admin('PATCH', `/accounts/${id}`, {}),
      admin('DELETE', `/accounts/${id}`),
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  },
);

test.each([
  ['PUT', '/accounts', 'GET, POST'],
  ['POST', `/accounts/${unknownId}`, 'DELETE, GET, PATCH'],
])('%s %s is 405', async (method, path, allow) => {
  const answer = await admin(method, path, {});
  expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
  expect(answer.headers.get('allow')).toBe(allow);
});
