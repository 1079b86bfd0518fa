import { describe, expect, test } from 'vitest';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { entriesOf } from '../support/audit.ts';
import { everythingStored } from '../support/stored.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });

const urls = (value: string | null) => ({ delivery_url: value, project_delivery_url: value });
const patch = (id: string, change: object) => gateway.admin.request('PATCH', `/admin/accounts/${id}`, change);
const read = async (id: string) => (await gateway.admin.request('GET', `/admin/accounts/${id}`)).body;
const stored = async (id: string) => (await gateway.rows('select * from accounts where id = $1', [id]))[0] ?? {};

/** The decrypted credentials of each URL. */
async function opened(id: string): Promise<(string | null)[]> {
  const row = await stored(id);
  return ['delivery_url_credentials', 'project_delivery_url_credentials'].map((field) =>
    row[field] === null ? null : createSecretBox(gateway.keyring).open(row[field], { accountId: id, field }),
  );
}

describe('a URL with credentials', () => {
  const secret = 'https://me:very-secret@a.test/in?x=1';
  const masked = 'https://[masked]@a.test/in?x=1';

  test('is shown without them in every answer', async () => {
    const created = await gateway.admin.createAccount(urls(secret));
    const changed = await patch(created.id, { ...urls(secret), org_id: 'o' });
    const { body: listed } = await gateway.admin.request('GET', '/admin/accounts');
    const inList = listed.find((account: { id: string }) => account.id === created.id);
    for (const shown of [created, changed.body, await read(created.id)]) expect(shown).toMatchObject(urls(masked));
    expect(inList.delivery_url).toBe(masked);
    const { body: event } = await gateway.admin.request('GET', '/admin/audit-logs?limit=1000');
    expect(JSON.stringify([created, changed, listed, event])).not.toContain('very-secret');
    expect((await entriesOf(gateway.database, created.id, 'account.update'))[0]?.details.changed).toContain(
      'delivery_url',
    );
  });

  test('is encrypted in the database, bound to its account and field', async () => {
    const { id } = await gateway.admin.createAccount(urls(secret));
    expect(await everythingStored(gateway.database)).not.toContain('very-secret');
    expect(await stored(id)).toMatchObject(urls('https://a.test/in?x=1'));
    expect(await opened(id)).toEqual(['me:very-secret', 'me:very-secret']);
    const row = await stored(id);
    const box = createSecretBox(gateway.keyring);
    const other = { accountId: id, field: 'project_delivery_url_credentials' };
    expect(box.open(row.delivery_url_credentials, other)).toBeNull();
  });

  test.each([
    ['https://very-secret@a.test', 'https://[masked]@a.test/', 'very-secret:'],
    ['https://:very-secret@a.test', 'https://[masked]@a.test/', ':very-secret'],
    ['https://a:b@c:very-secret@a.test/', 'https://[masked]@a.test/', 'a:b%40c%3Avery-secret'],
    ['https://m%C3%A9:ü%2F@a.test/', 'https://[masked]@a.test/', 'm%C3%A9:%C3%BC%2F'],
    ['HTTP:////me:very-secret@A.test\\x', 'http://[masked]@a.test/x', 'me:very-secret'],
    ['https://me:very\t-secret@a.test/', 'https://[masked]@a.test/', 'me:very-secret'],
    ['https://me:very-secret@[::1]:8443/', 'https://[masked]@[::1]:8443/', 'me:very-secret'],
  ])('%j is shown as %s', async (given, shown, credentials) => {
    const created = await gateway.admin.createAccount(urls(given));
    expect(created).toMatchObject(urls(shown));
    expect(await opened(created.id)).toEqual([credentials, credentials]);
  });

  test('of 500 characters is stored, even where percent-encoding makes it longer', async () => {
    const long = 'https://me:very-secret@a.test/'.padEnd(500, 'x');
    expect((await gateway.admin.createAccount({ delivery_url: long })).delivery_url).toHaveLength(500 - 14 + 8);
    const longer = 'https://me:very-secret@a.test/'.padEnd(500, 'ü');
    const { delivery_url } = await gateway.admin.createAccount({ delivery_url: longer });
    expect(delivery_url).toMatch(/^https:\/\/\[masked\]@a\.test\/(%C3%BC){470}$/);
  });

  test('is stored unchanged if it has no credentials', async () => {
    const plain = 'HTTPS://A.test/ü?q=user:pw@b#f';
    const created = await gateway.admin.createAccount(urls(plain));
    expect(created).toMatchObject(urls(plain));
    expect(await opened(created.id)).toEqual([null, null]);
  });
});

describe('a change', () => {
  const made = () => gateway.admin.createAccount(urls('https://me:very-secret@a.test/in'));

  test('that sends the masked URL back keeps the credentials', async () => {
    const { id, delivery_url, project_delivery_url } = await made();
    const answer = await patch(id, { delivery_url, project_delivery_url, enabled: false });
    expect(answer).toMatchObject({ status: 200, body: { delivery_url, project_delivery_url, enabled: false } });
    expect(await opened(id)).toEqual(['me:very-secret', 'me:very-secret']);
  });

  test('of path and query behind the mask keeps the credentials', async () => {
    const { id } = await made();
    const { body } = await patch(id, { delivery_url: 'https://[masked]@A.test:443/other?x=1' });
    expect(body.delivery_url).toBe('https://[masked]@a.test/other?x=1');
    expect(await opened(id)).toEqual(['me:very-secret', 'me:very-secret']);
    expect(await stored(id)).toMatchObject({ delivery_url: 'https://a.test/other?x=1' });
  });

  test.each([
    'https://[masked]@b.test/in',
    'http://[masked]@a.test/in',
    'https://[masked]@a.test:8443/in',
    'https://me:[masked]@a.test/in',
    'https://[masked]:x@a.test/in',
    'https://%5Bmasked%5D:%5Bmasked%5D@a.test/in',
  ])('to %s is refused: a mask stands for credentials of the same scheme, host and port only', async (delivery_url) => {
    const before = await made();
    const answer = await patch(before.id, { delivery_url, enabled: false });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: 'delivery_url' }] } });
    expect(await read(before.id)).toEqual(before);
    expect(await opened(before.id)).toEqual(['me:very-secret', 'me:very-secret']);
  });

  test('to a masked URL is refused if no credentials are stored, and for a new account', async () => {
    const masked = { delivery_url: 'https://[masked]@a.test/in' };
    const { id } = await gateway.admin.createAccount({ delivery_url: 'https://a.test/in' });
    expect((await patch(id, masked)).status).toBe(422);
    const created = await gateway.admin.post('/admin/accounts', {
      ...{ provider: 'generic', account_slug: 'mask', app_key: 'a', ...masked },
    });
    expect(created).toMatchObject({ status: 422, body: { errors: [{ path: 'delivery_url' }] } });
  });

  test('of another field keeps the credentials; null and a URL without credentials clear them', async () => {
    const { id } = await made();
    const before = await stored(id);
    await patch(id, { org_id: 'changed' });
    expect((await stored(id)).delivery_url_credentials.equals(before.delivery_url_credentials)).toBe(true);
    await patch(id, { delivery_url: null, project_delivery_url: 'https://a.test/in' });
    expect(await opened(id)).toEqual([null, null]);
    expect(await read(id)).toMatchObject({ delivery_url: null, project_delivery_url: 'https://a.test/in' });
  });
});
