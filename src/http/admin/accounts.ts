import { Elysia } from 'elysia';
import { z } from 'zod';
import type { AccountRow } from '../../accounts/account-entity.ts';
import { accountSchemas } from '../../accounts/account-rules.ts';
import type { AccountStore, AccountWrite } from '../../accounts/account-store.ts';
import { Problem } from '../problem.ts';
import { isId, textFilter } from './query-schemas.ts';

/** The fields of the list (specification, section 2.1). */
function summary(account: AccountRow) {
  const { id, provider, account_slug, app_key, org_id, delivery_url, enabled, skip_signature_verification } = account;
  return { id, provider, account_slug, app_key, org_id, delivery_url, enabled, skip_signature_verification };
}

/** One account. Secrets are write-only: what is shown is whether they are set. */
function whole(account: AccountRow) {
  return {
    ...summary(account),
    project_id: account.project_id,
    project_delivery_url: account.project_delivery_url,
    has_signing_secret_current: account.signing_secret_current !== null,
    has_signing_secret_previous: account.signing_secret_previous !== null,
    has_delivery_secret: account.delivery_secret !== null,
    has_project_delivery_secret: account.project_delivery_secret !== null,
    created_at: account.created_at.toISOString(),
    updated_at: account.updated_at.toISOString(),
  };
}

function written(write: AccountWrite) {
  if (write.ok) return whole(write.account);
  if (write.reason === 'not_found') throw notFound();
  throw new Problem('conflict', 'this provider has an account with this account_slug already', {
    errors: [{ path: 'account_slug', message: 'is taken' }],
  });
}

const notFound = () => new Problem('not_found', 'there is no account of this id');

/** `/admin/accounts` (specification, section 4.2). */
export function accountRoutes(deps: { accounts: AccountStore; providerNames: readonly string[] }) {
  const { accounts } = deps;
  const schemas = accountSchemas(deps.providerNames);
  const filter = z.strictObject({ app_key: textFilter, provider: textFilter });
  return new Elysia({ name: 'accounts', prefix: '/accounts' })
    .get('/', async ({ query }) => (await accounts.list(query)).map(summary), { query: filter })
    .post(
      '/',
      async ({ body, set }) => {
        const account = written(await accounts.create(body));
        set.status = 201;
        return account;
      },
      { body: schemas.create },
    )
    .get('/:account_id', async ({ params }) => {
      const account = isId(params.account_id) ? await accounts.get(params.account_id) : null;
      if (!account) throw notFound();
      return whole(account);
    })
    .patch(
      '/:account_id',
      async ({ params, body }) => {
        if (!isId(params.account_id)) throw notFound();
        return written(await accounts.update(params.account_id, body));
      },
      { body: schemas.change },
    )
    .delete('/:account_id', async ({ params }) => {
      if (!isId(params.account_id) || !(await accounts.delete(params.account_id))) throw notFound();
      return new Response(null, { status: 204 });
    });
}
