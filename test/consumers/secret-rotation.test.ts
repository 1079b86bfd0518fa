import { describe, expect, test } from 'vitest';
import { entriesOf } from '../support/audit.ts';
import { secretText } from '../support/secrets.ts';
import { everythingStored } from '../support/stored.ts';
import { useGateway } from '../support/use-gateway.ts';
import { hoursAhead, outboundSecrets, ownerOf } from './rotating.ts';

// The rotation of a secret that signs deliveries: of an account, and of a consumer (docs/several-consumers.md).

const gateway = useGateway({ worker: false });

const secret = (name: string) => secretText(`outbound-${name}`);
const [a, b, c] = [secret('a'), secret('b'), secret('c')];

const refused = (path: string, message: RegExp) => ({
  status: 422,
  body: { code: 'invalid', errors: [{ path, message: expect.stringMatching(message) }] },
});
const inHours = (text: string) => (Date.parse(text) - Date.now()) / 3_600_000;

describe.each(outboundSecrets)('%s', (field) => {
  const owned = (current: string | null = a) => ownerOf(gateway, field, current);

  test('is kept by a rotation for 24 hours, and shown by its end alone', async () => {
    const owner = await owned();
    expect(await owner.end()).toBe(null);
    const { status, body } = await owner.rotate(b);
    expect([status, body[`has_${field}`]]).toEqual([200, true]);
    expect(inHours(body[owner.endField])).toBeCloseTo(24, 1);
    expect(await owner.end()).toBe(body[owner.endField]);
    expect(await owner.stored()).toMatchObject({ current: b, settings: { previous: { [field]: { secret: a } } } });
    const shown = await owner.consumers.get(owner.name);
    expect(shown.body.secret_previous_expires_at).toBe(body[owner.endField]);
    const everything = await everythingStored(gateway.database);
    for (const value of [a, b]) expect(everything + JSON.stringify([body, shown.body])).not.toContain(value);
  });

  test('ends at the time that is sent with the rotation or afterwards, or at once', async () => {
    const owner = await owned();
    const [first, later] = [hoursAhead(1), hoursAhead(7 * 24 - 1)];
    expect((await owner.rotate(b, { [owner.endField]: first })).body[owner.endField]).toBe(first);
    expect((await owner.patch({ [owner.endField]: later })).body[owner.endField]).toBe(later);
    expect(await owner.previous()).toBe(a);
    expect((await owner.patch({ [owner.endField]: null })).body[owner.endField]).toBe(null);
    expect(await owner.stored()).toEqual({ current: b, settings: {} });
    expect((await owner.patch({ [owner.endField]: null })).status).toBe(200);
  });

  test('is replaced at once without a rotation, and its previous one is dropped', async () => {
    const owner = await owned();
    expect((await owner.patch({ [field]: b })).status).toBe(200);
    expect(await owner.stored()).toEqual({ current: b, settings: {} });
    await owner.rotate(a);
    expect((await owner.patch({ [field]: c })).body[owner.endField]).toBe(null);
    expect(await owner.stored()).toEqual({ current: c, settings: {} });
    await owner.rotate(a);
    expect((await owner.patch({ [field]: null })).body).toMatchObject({
      [`has_${field}`]: false,
      [owner.endField]: null,
    });
    expect(await owner.stored()).toEqual({ current: null, settings: {} });
  });

  test('has no previous one after its end, and the next change erases it', async () => {
    const owner = await owned();
    await owner.rotate(b);
    await owner.expire();
    expect(await owner.end()).toBe(null);
    expect((await owner.consumers.get(owner.name)).body.secret_previous_expires_at).toBe(null);
    expect(await owner.previous()).toBe(a);
    expect(await owner.patch({ [owner.endField]: hoursAhead(1) })).toMatchObject(
      refused(owner.endField, /no secret to end/),
    );
    expect((await owner.patch({ enabled: true })).status).toBe(200);
    expect(await owner.stored()).toEqual({ current: b, settings: {} });
    await owner.rotate(c);
    await owner.expire();
    expect((await owner.rotate(a)).status).toBe(200);
    expect(await owner.previous()).toBe(c);
  });

  test('keeps its previous one when other settings change', async () => {
    const owner = await owned();
    await owner.rotate(b);
    const end = await owner.end();
    await owner.patch({ enabled: true });
    const authentication = { type: 'bearer', token: secretText('bearer') };
    await owner.consumers.patch(owner.name, { authentication, timeout: '30s' });
    expect(await owner.stored()).toMatchObject({ settings: { authentication, previous: { [field]: { secret: a } } } });
    await owner.consumers.patch(owner.name, { authentication: null });
    expect([await owner.end(), await owner.previous()]).toEqual([end, a]);
  });

  test('is named in the audit log without values', async () => {
    const owner = await owned();
    await owner.rotate(b);
    await owner.patch({ [owner.endField]: null });
    const action = field === 'secret' ? 'consumer.update' : 'account.update';
    const entries = await entriesOf(gateway.database, owner.account.id, action);
    expect(entries.map(({ details }) => details.changed)).toEqual([[field, owner.endField], [owner.endField]]);
    expect(JSON.stringify(entries)).not.toContain(secretText('outbound'));
  });

  test('with a previous one in force, a rotation is 409 and says what to do; replace_previous replaces it', async () => {
    const owner = await owned();
    await owner.rotate(b);
    expect(await owner.rotate(c)).toMatchObject({
      status: 409,
      body: {
        code: 'conflict',
        detail: expect.stringMatching(/not ended: .*Set it to null.*replace_previous: true/),
        errors: [{ path: owner.endField }],
      },
    });
    expect(await owner.stored()).toMatchObject({ current: b });
    expect(await owner.rotate(b, { replace_previous: true })).toMatchObject(refused(field, /already/));
    expect((await owner.rotate(c, { replace_previous: true })).status).toBe(200);
    expect([(await owner.stored()).current, await owner.previous()]).toEqual([c, b]);
  });

  test.each([
    ['without a new secret', { rotate: true, [field]: '' }, field, /send the new secret/],
    ['with null', { rotate: true, [field]: null }, field, /send the new secret/],
    ['to the same secret', { rotate: true, [field]: a }, field, /already: send a new/],
    [
      'with null as the end',
      { rotate: true, [field]: b, [`${field}_previous_expires_at`]: null },
      `${field}_previous_expires_at`,
      /leave it out for 24 hours/,
    ],
    [
      'with an end in the past',
      { rotate: true, [field]: b, [`${field}_previous_expires_at`]: hoursAhead(-1) },
      `${field}_previous_expires_at`,
      /in the future/,
    ],
    [
      'with an end after 7 days',
      { rotate: true, [field]: b, [`${field}_previous_expires_at`]: hoursAhead(7 * 24 + 1) },
      `${field}_previous_expires_at`,
      /at most 7 days/,
    ],
    [
      'with an end that is no time',
      { rotate: true, [field]: b, [`${field}_previous_expires_at`]: 'tomorrow' },
      `${field}_previous_expires_at`,
      /ISO 8601/,
    ],
    [
      'an end alone',
      { [`${field}_previous_expires_at`]: hoursAhead(1) },
      `${field}_previous_expires_at`,
      /no secret to end/,
    ],
    [
      'an end with a plain change',
      { [field]: b, [`${field}_previous_expires_at`]: hoursAhead(1) },
      `${field}_previous_expires_at`,
      /with rotate: true/,
    ],
    ['replace_previous alone', { [field]: b, replace_previous: true }, 'replace_previous', /send rotate/],
  ])('%s is 422, and nothing changes', async (_case, change, path, message) => {
    const owner = await owned();
    expect(await owner.patch(change)).toMatchObject(refused(path, message));
    expect(await owner.stored()).toEqual({ current: a, settings: {} });
  });

  test('where none is stored, a rotation is 422', async () => {
    const owner = await owned(null);
    expect(await owner.rotate(a)).toMatchObject(refused('rotate', /no secret to keep.*without rotate/));
    expect(await owner.stored()).toEqual({ current: null, settings: {} });
  });

  test('where the stored one or the settings do not decrypt, a rotation is 422', async () => {
    const owner = await owned();
    const damage = (table: string, column: string) =>
      gateway.rows(
        `update ${table} set ${column} = set_byte(${column}, 40, 255 - get_byte(${column}, 40)) where id = $1`,
        [owner.id],
      );
    await damage(field === 'secret' ? 'consumers' : 'accounts', field);
    expect(await owner.rotate(b)).toMatchObject(refused('rotate', /does not decrypt.*without rotate/));
    expect((await owner.patch({ [field]: a })).status).toBe(200);
    await owner.consumers.patch(owner.name, { authentication: { type: 'bearer', token: secretText('lost') } });
    await damage('consumers', 'sealed_options');
    expect(await owner.rotate(b)).toMatchObject(refused('rotate', /settings of its consumer.*without rotate/));
    expect((await owner.patch({ [field]: b })).status).toBe(200);
    expect((await owner.stored()).current).toBe(b);
  });

  test('of concurrent rotations one succeeds, the others are 409, and the first secret is kept', async () => {
    const owner = await owned();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => owner.rotate(secret(`${n}`))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)]);
    const won = answers.findIndex(({ status }) => status === 200);
    expect([(await owner.stored()).current, await owner.previous()]).toEqual([secret(`${won}`), a]);
  });
});

test('of `default`, the fields of a rotation are set with the account', async () => {
  const { consumers } = await ownerOf(gateway, 'delivery_secret', a);
  const change = { rotate: true, replace_previous: true, secret_previous_expires_at: hoursAhead(1) };
  const { status, body } = await consumers.patch('default', change);
  expect(status).toBe(422);
  expect(body.errors).toEqual(
    expect.arrayContaining(
      Object.keys(change).map((path) => ({ path, message: expect.stringContaining('with the account') })),
    ),
  );
});

test('`default` shows the end of the secret in force', async () => {
  const owner = await ownerOf(gateway, 'project_delivery_secret', a);
  await owner.rotate(b);
  const shown = async () => (await owner.consumers.get('default')).body.secret_previous_expires_at;
  expect(await shown()).toBe(await owner.end());
  await owner.patch({ delivery_url: 'https://other.test' });
  expect(await shown()).toBe(null);
});

test('a new consumer takes none of these fields', async () => {
  const { consumers } = await ownerOf(gateway, 'secret', a);
  for (const field of ['rotate', 'replace_previous', 'secret_previous_expires_at'])
    expect(await consumers.post({ name: 'new', url: 'https://a.test', [field]: true })).toMatchObject(
      refused(field, /not a known field/),
    );
});
