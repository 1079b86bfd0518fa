import { expect, test } from 'vitest';
import { entriesOf } from '../support/audit.ts';
import { rawRequest } from '../support/raw-http.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ worker: false });

test.each([
  ['PATCH', '{"enabled":1}', 422],
  ['PATCH', '{"enabled":', 400],
  ['DELETE', '{"force":true}', 422],
  ['HEAD', undefined, 200],
])('%s %s has an entry with the action and the account', async (method, body, status) => {
  const { id } = await gateway.admin.createAccount({});
  const headers = {
    ...{ 'x-admin-token': gateway.adminToken, 'content-type': 'application/json' },
    // Node sends no content-length with DELETE by itself.
    'content-length': body?.length ?? 0,
  };
  const path = `/admin/accounts/${id}`;
  const answer = await rawRequest(gateway.baseUrl, { method, path, headers, ...(body ? { body } : {}) });
  expect(answer.status).toBe(status);
  const action = { PATCH: 'account.update', DELETE: 'account.delete', HEAD: 'account.read' }[method] ?? '';
  const entries = await entriesOf(gateway.database, id, action);
  expect(entries).toMatchObject([{ details: { account_id: id, status } }]);
});
