import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { adminClient } from './admin-client.ts';
import { listenForTest } from './listen-for-test.ts';

test('an account is created once more when the database has not answered in time', async () => {
  const slugs: string[] = [];
  const server = createServer(async (request, response) => {
    const account = JSON.parse(await text(request));
    slugs.push(account.account_slug);
    const isFirst = slugs.length === 1;
    response.writeHead(isFirst ? 503 : 201, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isFirst ? { code: 'database_unavailable' } : { id: '1', ...account }));
  });
  const client = adminClient(`http://127.0.0.1:${await listenForTest(server)}`, 'token');
  expect(await client.createAccount({ account_slug: 'shop' })).toMatchObject({ id: '1', account_slug: 'shop' });
  expect(slugs).toEqual(['shop', 'shop']);
});
