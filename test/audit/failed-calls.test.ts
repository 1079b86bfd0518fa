import { expect, test } from 'vitest';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { migratedRoles } from '../support/gateway-roles.ts';
import { groupsOf } from '../support/groups-of.ts';
import { secretText } from '../support/secrets.ts';
import { withinOneHour } from './within-one-hour.ts';

gatewaysEndWithTheirTest();

const reader = secretText('token-that-fails');
const missing = '/admin/accounts/01900000-0000-7000-8000-000000000000';
const invalid = '/admin/events?limit=nothing';

/** A gateway with a token that reads, and the entries of its calls. */
async function withReader() {
  const roles = await migratedRoles({ TRUSTED_PROXIES: '127.0.0.1', ADMIN_TOKENS: `reader:${reader}:read` });
  const api = await roles.apiHere();
  let calls = 0;
  return {
    api,
    /** A call of the reader, each from an address of its own. */
    ask: (path: string, options: RequestInit = {}) =>
      fetch(`${api.baseUrl}${path}`, {
        ...options,
        headers: {
          ...{ 'x-admin-token': reader, 'x-forwarded-for': `2001:db8::${(++calls).toString(16)}` },
          'content-type': 'application/json',
        },
      }),
    entriesOf: (actor: string) =>
      roles.query<{ action: string; ip_address: string; details: { [name: string]: unknown } }>(
        'select action, ip_address, details from audit_logs where actor = $1 order by action, id',
        [actor],
      ),
  };
}

test('of the failed calls of a token, 2,000 in an hour are entries, and closing entries count the others', async () => {
  await withinOneHour();
  const { api, ask, entriesOf } = await withReader();
  const paths = [...Array(2_050).fill(missing), ...Array(100).fill(invalid)];
  for (const group of groupsOf(paths, 50)) {
    const answers = await Promise.all(group.map((path) => ask(path)));
    for (const answer of answers) await answer.body?.cancel();
  }
  // Another token still has entries of its own.
  await api.admin.request('GET', invalid);
  await api.stop();
  const entries = await entriesOf('reader');
  expect(entries.filter(({ details }) => details.calls === undefined).length).toBe(2_000);
  const closing = entries.filter(({ details }) => details.calls !== undefined);
  expect(closing.map(({ action, details }) => [action, details.status, details.code, details.calls])).toEqual([
    ['account.read', 404, 'not_found', 50],
    ['event.list', 422, 'invalid', 100],
  ]);
  // Addresses of the group of calls that reached the limit.
  for (const { ip_address } of closing) expect(ip_address).toMatch(/^2001:db8::7[a-f0-9]{2}$/);
  expect(await entriesOf('admin')).toMatchObject([{ action: 'event.list', details: { status: 422 } }]);
});

test('of the text of a filter, an entry has the first 100 characters', async () => {
  const { ask, entriesOf } = await withReader();
  const body = JSON.stringify({ text: 'order', external_id: '€'.repeat(500), provider: 'generic' });
  expect((await ask('/admin/events/search', { method: 'POST', body })).status).toBe(200);
  expect(await entriesOf('reader')).toMatchObject([
    { action: 'event.search', details: { query: { external_id: `${'€'.repeat(100)}…`, provider: 'generic' } } },
  ]);
});
