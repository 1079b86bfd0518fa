import { describe, expect, test } from 'vitest';
import { entriesAbout } from '../support/audit.ts';
import { type Change, type Create, chat, hook, mail, setUpDestinations, url } from '../support/destination-client.ts';
import { secretInUrl, secretText } from '../support/secrets.ts';
import { everythingStored } from '../support/stored.ts';

const setup = setUpDestinations();

const uuidv7 = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('create', () => {
  test.each<[body: Create, config: object]>([
    [hook, { url, has_secret: true }],
    [
      { ...hook, config: { url } },
      { url, has_secret: false },
    ],
    [
      { ...hook, config: { url, secret: null } },
      { url, has_secret: false },
    ],
    [
      { ...hook, config: { url, secret: '' } },
      { url, has_secret: false },
    ],
    [mail, { addresses: ['a@ops.example'], include_payload: false }],
    [
      { ...mail, config: { addresses: ['a@ops.example', 'b@ops.example'], include_payload: true } },
      { addresses: ['a@ops.example', 'b@ops.example'], include_payload: true },
    ],
    [chat, { webhook_url: url }],
    [{ ...chat, destination_type: 'chat_two' }, { webhook_url: url }],
  ])('%j', async (body, config) => {
    const { data, status, response } = await setup.client.at(setup.account_id).post(body);
    expect(status).toBe(201);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const shown = {
      ...{ id: uuidv7, destination_type: body.destination_type, name: body.name, config },
      ...{ condition: null, kinds: ['delivery.failed'], enabled: true, position: 0, warnings: [] },
      ...{ created_at: iso, updated_at: iso },
    };
    expect(data).toEqual(shown);
    expect(await setup.client.listed(setup.account_id)).toEqual([data]);
  });

  test('with all fields', async () => {
    const fields = {
      name: 'Ü 😀',
      condition: 'delivery_failed and provider == "generic"',
      kinds: ['delivery.failed' as const, 'incident.resolved' as const],
      enabled: false,
      position: -7,
    };
    expect(await setup.client.create(setup.account_id, { ...mail, ...fields })).toMatchObject(fields);
  });

  test('writes one audit entry, with the destination but without its config', async () => {
    const { id } = await setup.client.create(setup.account_id, hook);
    const details = {
      account_id: setup.account_id,
      destination_id: id,
      status: 201,
      destination_type: 'webhook',
      name: 'Hook',
    };
    expect(await entriesAbout(setup.gateway.database, id)).toEqual([
      { actor: 'tester', action: 'destination.create', details },
    ]);
  });
});

describe('list', () => {
  test('is ordered by position, then by age', async () => {
    for (const [name, position] of Object.entries({ c: 1, a: 0, d: 1, b: 0, first: -1, last: 2_147_483_647 }))
      await setup.client.create(setup.account_id, { ...chat, name, position });
    const names = async () => (await setup.client.listed(setup.account_id)).map(({ name }) => name);
    expect(await names()).toEqual(['first', 'a', 'b', 'c', 'd', 'last']);
    const a = (await setup.client.listed(setup.account_id)).find(({ name }) => name === 'a');
    await setup.client.patch(setup.account_id, a?.id ?? '', { position: 1 });
    // By age it belongs between c and d, although it was moved later.
    expect(await names()).toEqual(['first', 'b', 'c', 'a', 'd', 'last']);
  });

  test('of a new account is empty, and shows no destinations of other accounts', async () => {
    await setup.client.create(setup.account_id, hook);
    expect(await setup.client.listed(await setup.client.newAccount())).toEqual([]);
  });
});

describe('change', () => {
  test.each<[before: Create, change: Change, after: object]>([
    [hook, {}, {}],
    [hook, { name: 'New' }, { name: 'New' }],
    [hook, { enabled: false, position: 3 }, { enabled: false, position: 3 }],
    [{ ...hook, condition: 'delivery_failed' }, { condition: null }, { condition: null }],
    [{ ...hook, condition: 'delivery_failed' }, { name: 'New' }, { name: 'New' }],
    [hook, { kinds: ['incident.opened'] }, { kinds: ['incident.opened'] }],
    // They are stored in one order.
    [hook, { kinds: ['incident.resolved', 'incident.opened'] }, { kinds: ['incident.opened', 'incident.resolved'] }],
    [{ ...hook, kinds: ['incident.opened'] }, { name: 'New' }, { name: 'New' }],
    [hook, { config: {} }, {}],
    [hook, { config: { url: 'http://new.test/' } }, { config: { url: 'http://new.test/', has_secret: true } }],
    [hook, { config: { secret: null } }, { config: { url, has_secret: false } }],
    [hook, { config: { secret: '' } }, { config: { url, has_secret: false } }],
    [
      { ...mail, config: { addresses: ['a@ops.example'], include_payload: true } },
      { config: { addresses: ['b@ops.example'] } },
      { config: { addresses: ['b@ops.example'], include_payload: true } },
    ],
    [
      { ...mail, config: { addresses: ['a@ops.example'], include_payload: true } },
      { config: { include_payload: null } },
      { config: { addresses: ['a@ops.example'], include_payload: false } },
    ],
    [
      hook,
      { destination_type: 'chat_two', config: { webhook_url: 'http://new.test/' } },
      { destination_type: 'chat_two', config: { webhook_url: 'http://new.test/' } },
    ],
  ])('of %j by %j', async (before, change, after) => {
    const other = await setup.client.create(setup.account_id, mail);
    const created = await setup.client.create(setup.account_id, before);
    const { data, status } = await setup.client.patch(setup.account_id, created.id, change);
    expect(status).toBe(200);
    expect(data).toEqual({ ...created, ...after, updated_at: iso });
    expect((data?.updated_at ?? '') >= created.updated_at).toBe(true);
    expect(await setup.client.listed(setup.account_id)).toHaveLength(2);
    expect(await setup.client.listed(setup.account_id)).toEqual(expect.arrayContaining([other, data]));
  });

  test.each<[before: Create, change: Change, paths: string[]]>([
    [hook, { config: { webhook_url: url } }, ['config.webhook_url']],
    [mail, { config: { secret: secretText('plaintext-secret') } }, ['config.secret']],
    [chat, { config: { url, addresses: ['a@ops.example'] } }, ['config.url', 'config.addresses']],
    [hook, { destination_type: 'email' }, ['config']],
    [mail, { destination_type: 'webhook', config: { secret: secretText('plaintext-secret') } }, ['config.url']],
    [hook, { destination_type: 'chat_one', config: { url } }, ['config.webhook_url', 'config.url']],
  ])('of %j by %j is 422 and changes nothing', async (before, change, paths) => {
    const created = await setup.client.create(setup.account_id, before);
    const { data, error } = await setup.client.patch(setup.account_id, created.id, { name: 'New', ...change });
    expect(data).toBeNull();
    if (error?.status !== 422) throw new Error(`it was ${error?.status}`);
    expect(error.value.code).toBe('invalid');
    expect(error.value.errors?.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
    expect(JSON.stringify(error.value)).not.toContain(secretText('plaintext-secret'));
    expect(await setup.client.listed(setup.account_id)).toEqual([created]);
  });

  test('writes an audit entry with the names of the changed fields, without their values', async () => {
    const { id } = await setup.client.create(setup.account_id, hook);
    await setup.client.patch(setup.account_id, id, {
      name: 'New',
      config: { secret: secretText('plaintext-secret'), url },
    });
    const [, entry, ...more] = await entriesAbout(setup.gateway.database, id);
    expect(more).toEqual([]);
    const changed = ['name', 'config.secret', 'config.url'];
    expect(entry).toMatchObject({
      action: 'destination.update',
      details: { account_id: setup.account_id, status: 200 },
    });
    expect(entry?.details.changed).toHaveLength(changed.length);
    expect(entry?.details.changed).toEqual(expect.arrayContaining(changed));
  });
});

describe('delete', () => {
  test('is 204 without a body, once, and leaves the others', async () => {
    const [gone, kept] = [
      await setup.client.create(setup.account_id, chat),
      await setup.client.create(setup.account_id, hook),
    ];
    const first = await setup.client.at(setup.account_id)({ destination_id: gone.id }).delete();
    expect(first).toMatchObject({ status: 204, error: null });
    expect(await first.response.text().catch(() => '')).toBe('');
    const second = await setup.client.at(setup.account_id)({ destination_id: gone.id }).delete();
    expect(second.error).toMatchObject({ status: 404, value: { code: 'not_found', status: 404 } });
    expect((await setup.client.patch(setup.account_id, gone.id, { enabled: true })).status).toBe(404);
    expect(await setup.client.listed(setup.account_id)).toEqual([kept]);
    const entries = await entriesAbout(setup.gateway.database, gone.id);
    expect(entries.map(({ action, details }) => [action, details.status])).toEqual([
      ['destination.create', 201],
      ['destination.delete', 204],
      ['destination.delete', 404],
      ['destination.update', 404],
    ]);
  });
});

test('the 101st destination of an account is 409', async () => {
  const create = () => setup.client.at(setup.account_id).post(chat);
  // Creates wait for each other, so 105 concurrent ones could exceed the time limit of waiting for a connection.
  const answers = [];
  for (let made = 0; made < 90; made += 10) answers.push(...(await Promise.all(Array.from({ length: 10 }, create))));
  answers.push(...(await Promise.all(Array.from({ length: 15 }, create))));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(100).fill(201), ...Array(5).fill(409)]);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.error?.value).toMatchObject({ code: 'conflict' });
  expect(await setup.client.listed(setup.account_id)).toHaveLength(100);
});

test('tables contain neither secrets nor addresses, and answers contain no secrets', async () => {
  const secret = secretText('plaintext-in-no-table');
  const address = secretInUrl('plaintext-in-no-table');
  const body: Create = { ...hook, config: { url: `https://ops.test/${address}`, secret: `${secret}-1` } };
  const answers: unknown[] = [await setup.client.create(setup.account_id, body)];
  const [destination] = await setup.client.listed(setup.account_id);
  answers.push(
    await setup.client.patch(setup.account_id, destination?.id ?? '', { config: { secret: `${secret}-2` } }),
  );
  answers.push(
    await setup.client.patch(setup.account_id, destination?.id ?? '', {
      config: { secret: `${secret}-3`, webhook_url: url },
    }),
  );
  answers.push(
    await setup.client.listed(setup.account_id),
    await setup.gateway.admin.request('GET', '/admin/audit-logs'),
  );
  expect(JSON.stringify(answers)).not.toMatch(new RegExp(`${secret}-\\d`));
  const stored = await everythingStored(setup.gateway.database);
  for (const text of [secret, address]) expect(stored).not.toContain(text);
});
