import { beforeEach, describe, expect, test } from 'vitest';
import { maxConsumers } from '../../src/consumers/consumer-rules.ts';
import { secretText } from '../support/secrets.ts';
import { useGateway } from '../support/use-gateway.ts';
import { type Consumers, consumersOf } from './support.ts';

// Each refusal is a 422 that names the place, repeats no value and changes nothing.

const gateway = useGateway({ worker: false });
let accountId: string;
let consumers: Consumers;
beforeEach(async () => {
  ({ id: accountId } = await gateway.admin.createAccount({}));
  consumers = consumersOf(gateway, accountId);
});

const url = 'https://a.test/hook';
const allowed = 'one of provider, account_slug, app_key, event_type, external_id, payload, header, exists, matches';

async function expectRefused(body: object, path: string, message: unknown = expect.any(String)) {
  const before = (await consumers.list()).body;
  const answers = [await consumers.post({ name: 'refused', url, ...body }), await consumers.patch('present', body)];
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid' } });
    expect(answer.body.errors).toContainEqual({ path, message });
  }
  expect((await consumers.list()).body).toEqual(before);
  return answers;
}

describe('conditions that are refused', () => {
  beforeEach(() => consumers.made('present'));

  test.each([
    ['attempts > 3', `line 1, column 1: expected ${allowed}, found attempts`],
    ['provider == "x" and\n  response_code == 503', `line 2, column 3: expected ${allowed}, found response_code`],
    ['not delivery_failed', `line 1, column 5: expected ${allowed}, found delivery_failed`],
    ['payload.a == attempts', `line 1, column 14: expected ${allowed}, found attempts`],
    ['nonsense == 1', `line 1, column 1: expected ${allowed}, found nonsense`],
    ['__proto__ == "a"', `line 1, column 1: expected ${allowed}, found __proto__`],
    ['matches(payload.a, "(?=a)")', 'line 1, column 20: expected a regular expression of RE2, found "(?=a)"'],
    ['matches(payload.a, "(a")', 'line 1, column 20: expected a regular expression of RE2, found "(a"'],
    ['event_type == 5', 'line 1, column 15: expected a text in quotes, found 5'],
    ['event_type == "ä😀" && true', expect.stringMatching(/^line 1, column 20: expected /)],
    ['  ', 'must not be blank; a condition is, for example, event_type == "order.paid"'],
    ['', 'must not be blank; a condition is, for example, event_type == "order.paid"'],
    [
      `${'('.repeat(400)}true${')'.repeat(400)}`,
      expect.stringMatching(/^line 1, column 51: expected at most 50 levels/),
    ],
    [`${'('.repeat(1000)}true${')'.repeat(1000)}`, 'must have 1000 characters or fewer'],
    [`${'not '.repeat(1000)}true`, 'must have 1000 characters or fewer'],
    ['x'.repeat(100 * 1024), 'must have 1000 characters or fewer'],
    ['event_type == "\u0000"', expect.stringContaining('NUL')],
    ['event_type == "\ud800"', expect.stringContaining('surrogates')],
    [5, 'must be a string'],
    [['true'], 'must be one text, not a list'],
  ])('%j', async (condition, message) => {
    await expectRefused({ condition }, 'condition', message);
  });

  test('a body that is nested a thousand levels deep', async () => {
    const body = `{"condition":${'['.repeat(1000)}${']'.repeat(1000)}}`;
    const response = await fetch(`${gateway.baseUrl}${consumers.base}/present`, {
      ...{ method: 'PATCH', body },
      headers: { 'x-admin-token': gateway.adminToken, 'content-type': 'application/json' },
    });
    expect(response.status).toBe(422);
    expect(JSON.parse(await response.text()).detail).toBe('the body is nested more than 100 levels deep');
  });
});

test.each([
  'payload.a.b[0]["odd-key"] > 9007199254740993',
  'header["X-GitHub-Event"] in ["push", "ping"] or not exists(header["x"])',
  'provider == "generic" and account_slug != app_key and event_type.startswith("a") and external_id == "1"',
  'matches(external_id, "^[0-9]+$")',
  `event_type == "${'ä'.repeat(900)}"`,
])('the condition %j is accepted', async (condition) => {
  expect((await consumers.made('a', { condition })).condition).toBe(condition);
  expect((await consumers.patch('default', { condition })).body.condition).toBe(condition);
});

describe('other fields that are refused', () => {
  beforeEach(() => consumers.made('present'));

  test.each([
    ...['', 'A', 'a b', 'a_b', 'ä', '😀', 'a\n', 'a/b', '.', 'x'.repeat(41), 'x'.repeat(100_000), 'а'].map((name) => ({
      ...{ name, message: 'must be 1 to 40 characters of a-z, 0-9 and -' },
    })),
    ...[null, 5, {}, ['a']].map((name) => ({ name, message: expect.any(String) })),
  ])('the name $name', async ({ name, message }) => {
    await expectRefused({ name }, 'name', message);
  });

  test.each([
    ...[
      '',
      'x',
      'ftp://a.test/',
      'https:a.test',
      '/hook',
      `https://a.test/${'x'.repeat(500)}`,
      null,
      5,
      ['https://a.test/'],
    ],
  ])('the URL %j', async (given) => {
    await expectRefused({ url: given }, 'url');
  });

  test.each([
    ['enabled', null],
    ['enabled', 'true'],
    ['enabled', 1],
    ['secret', 5],
    ['secret', 'x'.repeat(1001)],
    ['secret', 'a\u0000'],
    ['paused', null],
    ['id', '01900000-0000-7000-8000-000000000000'],
    ['__proto__x', 1],
  ])('%s: %j', async (path, value) => {
    await expectRefused({ [path]: value }, path);
  });

  test('a body that is not an object, and one without name or url', async () => {
    for (const body of [null, [], 'text', 5]) expect((await consumers.post(body)).status).toBe(422);
    const { body } = await consumers.post({});
    expect(body.errors).toEqual([
      { path: 'name', message: 'is required' },
      { path: 'url', message: 'is required' },
    ]);
  });

  test('a secret beside a mistake is not repeated', async () => {
    const secret = secretText('beside-a-mistake');
    const withCredentials = `https://user:${secret}@a.test`;
    for (const body of [
      { secret, condition: 'attempts' },
      { secret: [secret] },
      { secret: `${secret}\u0000` },
      { url: `ftp://user:${secret}@a.test` },
      { url: `${withCredentials}/${'x'.repeat(500)}` },
      { url: withCredentials, enabled: 'yes' },
      { secret, name: 'NO' },
    ])
      for (const answer of [
        await consumers.post({ name: 'a', url, ...body }),
        await consumers.patch('present', body),
      ]) {
        expect(answer.status).toBe(422);
        expect(JSON.stringify(answer.body)).not.toContain(secret);
      }
  });

  test('reasons of pauses that are not texts, or too long', async () => {
    for (const [body, path] of [
      [{ reason: 5 }, 'reason'],
      [{ reason: 'x'.repeat(201) }, 'reason'],
      [{ reason: '\ud800' }, 'reason'],
      [{ other: 'x' }, 'other'],
    ] as const)
      for (const answer of [
        await consumers.pause('present', body),
        await gateway.admin.post(`/admin/accounts/${accountId}/pause`, body),
      ])
        expect(answer).toMatchObject({ status: 422, body: { errors: [{ path }] } });
  });
});

describe('URLs with user and password', () => {
  const given = `https://user:${secretText('of-url')}@a.test:8443/hook?a=b`;
  const shown = 'https://[masked]@a.test:8443/hook?a=b';

  test('are shown masked, and keep them when the masked URL is sent back', async () => {
    expect(await consumers.made('a', { url: given })).toMatchObject({ url: shown });
    const sealed = () => gateway.rows('select url, url_credentials from consumers where account_id = $1', [accountId]);
    const [before] = await sealed();
    expect(before?.url).toBe('https://a.test:8443/hook?a=b');
    expect(JSON.stringify((await consumers.list()).body)).not.toContain(secretText('of-url'));
    const moved = 'https://[masked]@a.test:8443/moved';
    expect((await consumers.patch('a', { url: moved })).body.url).toBe(moved);
    expect((await sealed())[0]?.url_credentials).toEqual(before?.url_credentials);
    expect((await consumers.patch('a', { url })).body.url).toBe(url);
    expect((await sealed())[0]?.url_credentials).toBeNull();
  });

  test('are refused with a mask of another host, or of nothing', async () => {
    await consumers.made('a', { url: given });
    await consumers.made('b');
    for (const [name, body] of [
      ['a', { url: 'https://[masked]@other.test/' }],
      ['a', { url: 'https://user:[masked]@a.test:8443/' }],
      ['b', { url: 'https://[masked]@b.test/' }],
    ] as const)
      expect(await consumers.patch(name, body)).toMatchObject({ status: 422, body: { errors: [{ path: 'url' }] } });
    expect(await consumers.post({ name: 'c', url: shown })).toMatchObject({
      ...{ status: 422, body: { errors: [{ path: 'url' }] } },
    });
    expect((await consumers.get('a')).body.url).toBe(shown);
  });
});

describe('names of an account', () => {
  test('are each taken once', async () => {
    await consumers.made('a');
    await consumers.made('b');
    const taken = { status: 422, body: { code: 'invalid', errors: [{ path: 'name', message: expect.any(String) }] } };
    expect(await consumers.post({ name: 'a', url })).toMatchObject(taken);
    expect(await consumers.patch('b', { name: 'a', enabled: false })).toMatchObject(taken);
    expect((await consumers.get('b')).body.enabled).toBe(true);
  });

  test(`are at most ${maxConsumers}, default included; a deleted one makes room`, async () => {
    for (let n = 1; n < maxConsumers; n++) await consumers.made(`c-${n}`);
    const more = () => consumers.post({ name: 'one-more', url });
    expect(await more()).toMatchObject({
      ...{ status: 422, body: { code: 'invalid', errors: [{ path: 'name', message: expect.stringContaining('25') }] } },
    });
    // Settings of `default` need no room.
    expect((await consumers.patch('default', { enabled: false })).status).toBe(200);
    expect((await more()).status).toBe(422);
    await consumers.delete('c-7');
    expect((await more()).status).toBe(201);
    expect(await consumers.names()).toHaveLength(maxConsumers);
  });
});
