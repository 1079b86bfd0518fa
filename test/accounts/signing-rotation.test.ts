import { describe, expect, test } from 'vitest';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { entriesOf } from '../support/audit.ts';
import { secretText } from '../support/secrets.ts';
import { everythingStored } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';

// The rotation of an account's signing secret with `rotate` (docs/admin-api.md).

const tokens = { operate: secretText('operator-token'), read: secretText('reader-token') };
const gateway = useGateway({
  worker: false,
  adminTokens: [
    { name: 'olga', token: tokens.operate, role: 'operate' },
    { name: 'rita', token: tokens.read, role: 'read' },
  ],
});

const secret = (name: string) => secretText(`rotated-${name}`);
const [a, b, c] = [secret('a'), secret('b'), secret('c')];
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const signedAccount = (fields: object = {}) =>
  gateway.admin.createAccount({ skip_signature_verification: false, signing_secret_current: a, ...fields });
type Account = Awaited<ReturnType<typeof signedAccount>>;

const patch = ({ id }: { id: string }, change: object) =>
  gateway.admin.request('PATCH', `/admin/accounts/${id}`, change);
const rotate = (account: { id: string }, fresh: string, more: object = {}) =>
  patch(account, { signing_secret_current: fresh, rotate: true, ...more });
const webhook = async (account: Account, signedWith: string) =>
  (await gateway.send(account, '{}', { 'x-webhook-secret': signedWith })).status;
const statuses = (account: Account) => Promise.all([a, b, c].map((one) => webhook(account, one)));

/** The stored secrets in clear text, and the end of the previous one. */
async function stored({ id }: { id: string }) {
  const [row] = await gateway.rows(
    `select signing_secret_current as current, signing_secret_previous as previous,
       signing_secret_previous_expires_at as expires_at from accounts where id = $1`,
    [id],
  );
  const box = createSecretBox(gateway.keyring);
  const open = (slot: 'current' | 'previous') =>
    row?.[slot] ? box.open(row[slot], { accountId: id, field: `signing_secret_${slot}` }) : null;
  return { current: open('current'), previous: open('previous'), expires_at: row?.expires_at?.toISOString() ?? null };
}

const refused = (path: string, message: RegExp) => ({
  status: 422,
  body: { code: 'invalid', errors: [{ path, message: expect.stringMatching(message) }] },
});

describe('a rotation', () => {
  test('keeps the stored secret as the previous one without an end, and accepts both until it is removed', async () => {
    const account = await signedAccount();
    expect(await rotate(account, b)).toMatchObject({
      status: 200,
      body: {
        has_signing_secret_current: true,
        has_signing_secret_previous: true,
        signing_secret_previous_expires_at: null,
      },
    });
    expect(await stored(account)).toEqual({ current: b, previous: a, expires_at: null });
    expect(await statuses(account)).toEqual([202, 202, 401]);
    expect(await patch(account, { signing_secret_previous: null })).toMatchObject({
      status: 200,
      body: { has_signing_secret_previous: false },
    });
    await until('the old secret is refused', async () => (await webhook(account, a)) === 401);
    expect(await statuses(account)).toEqual([401, 202, 401]);
  });

  test('names the fields in the audit log, and stores neither secret in clear text', async () => {
    const account = await signedAccount();
    await rotate(account, b, { signing_secret_previous_expires_at: inAnHour() });
    const [entry] = await entriesOf(gateway.database, account.id, 'account.update');
    expect(entry?.details).toMatchObject({
      status: 200,
      changed: ['signing_secret_current', 'signing_secret_previous', 'signing_secret_previous_expires_at'],
    });
    const everything = await everythingStored(gateway.database);
    for (const value of [a, b]) expect(everything).not.toContain(value);
  });

  test('changes other fields in the same call', async () => {
    const account = await signedAccount();
    expect(await rotate(account, b, { org_id: 'moved' })).toMatchObject({ status: 200, body: { org_id: 'moved' } });
    expect(await stored(account)).toMatchObject({ current: b, previous: a });
  });

  test('needs the role admin', async () => {
    const account = await signedAccount();
    for (const token of Object.values(tokens)) {
      const answer = await fetch(`${gateway.baseUrl}/admin/accounts/${account.id}`, {
        method: 'PATCH',
        headers: { 'x-admin-token': token, 'content-type': 'application/json' },
        body: JSON.stringify({ signing_secret_current: b, rotate: true }),
      });
      expect(answer.status).toBe(403);
    }
    expect(await stored(account)).toEqual({ current: a, previous: null, expires_at: null });
  });

  test('does not check the kept secret by today’s rules, unless provider or config change', async () => {
    // Stored before its provider checked secrets.
    const account = await signedAccount({
      provider: 'standard',
      signing_secret_current: `whsec_${btoa('key-of-24-bytes-or-more-1')}`,
    });
    const old = Buffer.from(
      createSecretBox(gateway.keyring).seal('no key of this provider', {
        ...{ accountId: account.id, field: 'signing_secret_current' },
      }),
    );
    await gateway.rows('update accounts set signing_secret_current = $2 where id = $1', [account.id, old]);
    const fresh = `whsec_${btoa('key-of-24-bytes-or-more-2')}`;
    expect(await rotate(account, fresh, { provider_config: { tolerance_seconds: 600 } })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'signing_secret_previous' }] },
    });
    expect(await rotate(account, 'not a key')).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'signing_secret_current' }] },
    });
    expect((await rotate(account, fresh)).status).toBe(200);
    expect(await stored(account)).toMatchObject({ current: fresh, previous: 'no key of this provider' });
  });
});

describe('refused', () => {
  const unchanged = { current: a, previous: null, expires_at: null };

  test.each([
    ['without a new secret', { rotate: true }, 'rotate', /send signing_secret_current/],
    ['with null', { rotate: true, signing_secret_current: null }, 'signing_secret_current', /send the new secret/],
    ['with an empty secret', { rotate: true, signing_secret_current: '' }, 'signing_secret_current', /send the new/],
    [
      'to the same secret',
      { rotate: true, signing_secret_current: a },
      'signing_secret_current',
      /already: send a new/,
    ],
    [
      'with a previous secret',
      { rotate: true, signing_secret_current: b, signing_secret_previous: a },
      'signing_secret_previous',
      /leave it out/,
    ],
    [
      'with the previous secret as null',
      { rotate: true, signing_secret_current: b, signing_secret_previous: null },
      'signing_secret_previous',
      /leave it out/,
    ],
    [
      'replace_previous alone',
      { signing_secret_current: b, replace_previous: true },
      'replace_previous',
      /send rotate/,
    ],
    [
      'an end in the past',
      { rotate: true, signing_secret_current: b, signing_secret_previous_expires_at: '2020-01-01T00:00:00Z' },
      'signing_secret_previous_expires_at',
      /in the future/,
    ],
    [
      'an end that is no time',
      { rotate: true, signing_secret_current: b, signing_secret_previous_expires_at: 'tomorrow' },
      'signing_secret_previous_expires_at',
      /ISO 8601/,
    ],
    [
      'an end without a previous secret',
      { signing_secret_previous_expires_at: '2999-01-01T00:00:00Z' },
      'signing_secret_previous_expires_at',
      /has no signing_secret_previous/,
    ],
  ])('%s: 422 names the field and what to do, and nothing changes', async (_case, change, path, message) => {
    const account = await signedAccount();
    expect(await patch(account, change)).toMatchObject(refused(path, message));
    expect(await stored(account)).toEqual(unchanged);
  });

  test('where no secret is set: the first one is set without rotate', async () => {
    const account = await signedAccount({ signing_secret_current: null });
    expect(await rotate(account, a)).toMatchObject(refused('rotate', /Send signing_secret_current without rotate/));
    expect((await patch(account, { signing_secret_current: a })).status).toBe(200);
    expect(await stored(account)).toEqual(unchanged);
  });

  test('where the stored secret does not decrypt: the new one is set without rotate', async () => {
    const account = await signedAccount();
    const damaged = 'set_byte(signing_secret_current, 40, 255 - get_byte(signing_secret_current, 40))';
    await gateway.rows(`update accounts set signing_secret_current = ${damaged} where id = $1`, [account.id]);
    expect(await rotate(account, b)).toMatchObject(refused('rotate', /does not decrypt.* without rotate/));
    expect((await patch(account, { signing_secret_current: b })).status).toBe(200);
  });

  test('while a previous secret is set: 409 says what to do, and replace_previous replaces it', async () => {
    const account = await signedAccount();
    await rotate(account, b);
    const conflict = await rotate(account, c);
    expect(conflict).toMatchObject({
      status: 409,
      body: {
        code: 'conflict',
        detail: expect.stringMatching(/still set.*Set it to null.*replace_previous: true/),
        errors: [{ path: 'signing_secret_previous' }],
      },
    });
    expect(await stored(account)).toMatchObject({ current: b, previous: a });
    // A repeated call is no second rotation.
    expect(await rotate(account, b, { replace_previous: true })).toMatchObject({ status: 422 });
    expect(await stored(account)).toMatchObject({ current: b, previous: a });
    expect((await rotate(account, c, { replace_previous: true })).status).toBe(200);
    expect(await stored(account)).toMatchObject({ current: c, previous: b });
    // Back to the old secret, for example when the provider did not take the new one.
    expect((await rotate(account, b, { replace_previous: true })).status).toBe(200);
    expect(await stored(account)).toMatchObject({ current: b, previous: c });
  });

  test('rotate: false and replace_previous: false are as without them', async () => {
    const account = await signedAccount();
    const both = { signing_secret_current: b, signing_secret_previous: a };
    expect((await patch(account, { ...both, rotate: false, replace_previous: false })).status).toBe(200);
    expect(await stored(account)).toMatchObject({ current: b, previous: a });
  });

  test('a new account takes none of these fields', async () => {
    for (const field of ['rotate', 'replace_previous', 'signing_secret_previous_expires_at']) {
      const fields = { provider: 'generic', account_slug: 'new', app_key: 'tests', [field]: true };
      expect(await gateway.admin.request('POST', '/admin/accounts', fields)).toMatchObject(
        refused(field, /not a known field/),
      );
    }
  });
});

describe('the end of the previous secret', () => {
  /** As if the time were over. */
  const end = ({ id }: { id: string }) =>
    gateway.rows('update accounts set signing_secret_previous_expires_at = now() where id = $1', [id]);

  test('after it, webhooks with the old secret are refused, and the account has none that a rotation could drop', async () => {
    const account = await signedAccount();
    const expires = inAnHour();
    expect(await rotate(account, b, { signing_secret_previous_expires_at: expires })).toMatchObject({
      status: 200,
      body: { has_signing_secret_previous: true, signing_secret_previous_expires_at: expires },
    });
    expect(await statuses(account)).toEqual([202, 202, 401]);
    await end(account);
    await until('the old secret is refused', async () => (await webhook(account, a)) === 401);
    expect(await webhook(account, b)).toBe(202);
    const { body } = await gateway.admin.request('GET', `/admin/accounts/${account.id}`);
    expect(body).toMatchObject({ has_signing_secret_previous: false, signing_secret_previous_expires_at: null });
    const uses = await gateway.admin.request('GET', `/admin/accounts/${account.id}/secrets`);
    expect(uses.body.previous).toEqual({ set: false, webhooks: 0, last_used_at: null });
    expect((await rotate(account, c)).status).toBe(200);
    expect(await stored(account)).toEqual({ current: c, previous: b, expires_at: null });
    expect(await statuses(account)).toEqual([401, 202, 202]);
  });

  test('the next change of the account erases the old secret', async () => {
    const account = await signedAccount();
    await rotate(account, b, { signing_secret_previous_expires_at: inAnHour() });
    await end(account);
    expect((await patch(account, { org_id: 'any' })).status).toBe(200);
    expect(await stored(account)).toEqual({ current: b, previous: null, expires_at: null });
  });

  test('is set and removed during a rotation, and belongs to one previous secret', async () => {
    const account = await signedAccount();
    await rotate(account, b);
    const expires = inAnHour();
    await patch(account, { signing_secret_previous_expires_at: expires });
    expect((await stored(account)).expires_at).toBe(expires);
    // A corrected new secret, and any other change, leave it.
    await patch(account, { signing_secret_current: c });
    expect(await stored(account)).toEqual({ current: c, previous: a, expires_at: expires });
    await patch(account, { signing_secret_previous_expires_at: null });
    expect((await stored(account)).expires_at).toBe(null);
    await patch(account, { signing_secret_previous_expires_at: expires });
    // A plain change of the previous secret is without an end.
    await patch(account, { signing_secret_previous: b });
    expect(await stored(account)).toEqual({ current: c, previous: b, expires_at: null });
    await patch(account, { signing_secret_previous_expires_at: expires });
    await rotate(account, a, { replace_previous: true });
    expect(await stored(account)).toEqual({ current: a, previous: c, expires_at: null });
  });
});

describe('concurrent rotations', () => {
  const operators = 10;
  const many = (change: (n: number) => object, account: Account) =>
    Promise.all(Array.from({ length: operators }, (_, n) => patch(account, { rotate: true, ...change(n) })));

  test('to different secrets: one succeeds, the others are 409, and the first secret is kept', async () => {
    const account = await signedAccount();
    const answers = await many((n) => ({ signing_secret_current: secret(`${n}`) }), account);
    const won = answers.findIndex(({ status }) => status === 200);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(operators - 1).fill(409)]);
    expect(await stored(account)).toEqual({ current: secret(`${won}`), previous: a, expires_at: null });
  });

  test('to the same secret: one succeeds, the others are 422, and the first secret is kept', async () => {
    const account = await signedAccount();
    const answers = await many(() => ({ signing_secret_current: b, replace_previous: true }), account);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(operators - 1).fill(422)]);
    expect(await stored(account)).toEqual({ current: b, previous: a, expires_at: null });
  });

  test('with replace_previous: all succeed, and the previous secret is the one before the last', async () => {
    const account = await signedAccount();
    const answers = await many((n) => ({ signing_secret_current: secret(`${n}`), replace_previous: true }), account);
    expect(answers.map(({ status }) => status)).toEqual(Array(operators).fill(200));
    const { current, previous } = await stored(account);
    const all = Array.from({ length: operators }, (_, n) => secret(`${n}`));
    expect(all).toContain(current);
    expect(all).toContain(previous);
    expect(previous).not.toBe(current);
  });
});
