import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listenForTest } from '../support/listen-for-test.ts';
import { secretText } from '../support/secrets.ts';
import { secrets, shop, usePlanFiles } from './plan-support.ts';

const { gateway, withFile, writeNext } = usePlanFiles();

const newer = { labels: ['a'], has_other_secret: true, if_updated_at: 'now' };
const withNewer = (answer: unknown): unknown => {
  if (Array.isArray(answer)) return answer.map(withNewer);
  return { ...(answer as object), ...newer };
};

/** The address of a later gateway: accounts, consumers and destinations have more fields. */
async function newerGateway(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    const answer = await fetch(`${gateway.baseUrl}${url}`, {
      method,
      headers: { 'x-admin-token': String(headers['x-admin-token']), 'content-type': 'application/json' },
      ...(body === '' ? {} : { body }),
    });
    const held = await answer.json();
    const isSettings = method === 'GET' && url.startsWith('/admin/accounts');
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isSettings ? withNewer(held) : held));
  });
  return `http://127.0.0.1:${await listenForTest(server)}`;
}

test('fields that a later gateway shows are left out of plans and exports', async () => {
  const GATEWAY_URL = await newerGateway();
  const { write, plan, apply, run } = withFile({ ...secrets, GATEWAY_URL });
  await writeNext('delivery.key', secretText('of deliveries'));
  await write(shop('newer'));
  expect(await apply('--yes')).toMatchObject({ code: 0, stderr: '' });
  expect(await plan()).toEqual({ code: 0, stdout: 'Nothing to change.\n', stderr: '' });
  const exported = await run(['export']);
  expect(exported).toMatchObject({ code: 0, stdout: expect.stringContaining('generic/newer:') });
  for (const name of Object.keys(newer)) expect(exported.stdout).not.toContain(name);
});
