import { Elysia } from 'elysia';
import { z } from 'zod';
import type { AdminCalls } from '../audit/admin-calls.ts';
import { flagFilter, textFilter } from '../http/admin/query-schemas.ts';
import { empty } from '../http/admin/schemas/common.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import type { Provider } from '../providers/provider.ts';
import { isId } from '../shared/is-id.ts';
import { type FieldError, fieldsInWords } from '../shared/plain-words.ts';
import type { AccountRow } from './account-entity.ts';
import { accountSchemas } from './account-rules.ts';
import * as schemas from './account-schemas.ts';
import type { AccountStore, AccountWrite } from './account-store.ts';
import { accountSummary, accountView } from './account-view.ts';
import type { AddressRules } from './address-rules.ts';

function taken(write: AccountWrite): AccountRow {
  if (write.ok) return write.account;
  if (write.reason === 'not_found') throw accountNotFound();
  if (write.reason === 'invalid') throw new Problem('invalid', fieldsInWords(write.errors), { errors: write.errors });
  if (write.reason === 'previous_in_use') throw rotationNotEnded(write.errors);
  if (write.reason === 'changed_since')
    throw new Problem(
      'conflict',
      `the account was changed since you read it, at ${write.updatedAt.toISOString()}: look at it again before you change it`,
    );
  throw new Problem('conflict', 'an account of this provider already has this account_slug', {
    errors: [{ path: 'account_slug', message: 'is taken' }],
  });
}

/** The conflict of a rotation with previous secrets that are in use. */
export const rotationNotEnded = (errors: FieldError[]) =>
  new Problem(
    'conflict',
    `the last rotation has not ended: ${errors.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
    { errors },
  );

export const accountNotFound = () => new Problem('not_found', 'there is no account with this id');

export function existingAccountId(id: string): string {
  if (!isId(id)) throw accountNotFound();
  return id;
}

/** @throws Problem `not_found` */
export async function existingAccount(accounts: Pick<AccountStore, 'get'>, id: string): Promise<AccountRow> {
  const account = await accounts.get(existingAccountId(id));
  if (!account) throw accountNotFound();
  return account;
}

const newAccount = {
  provider: 'generic',
  account_slug: 'shop',
  app_key: 'my-app',
  signing_secret_current: 'change-me',
  delivery_url: 'https://consumer.example/hook',
};

/** `/admin/accounts` (R15). */
export function accountRoutes(deps: {
  accounts: AccountStore;
  calls: AdminCalls;
  providers: ReadonlyMap<string, Provider>;
  addresses: AddressRules;
}) {
  const { accounts, calls, providers } = deps;
  const rules = accountSchemas(providers, deps.addresses);
  const view = (account: AccountRow) => accountView(deps, account);
  return new Elysia({ name: 'accounts', prefix: '/accounts' })
    .get(
      '/',
      async ({ query, request }) => {
        const call = calls.of(request);
        call.note({ query });
        return (await accounts.list({ ...query, ids: call.accountIds })).map(accountSummary);
      },
      operation('account.list', {
        role: 'read',
        scope: 'list',
        summary: 'List accounts',
        description: 'Oldest first, without deleted accounts.',
        body: noBody,
        query: z.strictObject({
          ...{ app_key: textFilter, provider: textFilter },
          paused: flagFilter.meta({
            description: '`true`: only accounts whose deliveries are paused; `false`: all others',
          }),
        }),
        success: { 200: z.array(schemas.accountSummary) },
      }),
    )
    .post(
      '/',
      async ({ body, set, request }) => {
        const call = calls.of(request);
        const written = await accounts.create(body, (sql, { id, provider, account_slug, app_key }) => {
          const details = { status: 201, account_id: id, provider, account_slug, app_key };
          return call.record(sql, 'account.create', details);
        });
        set.status = 201;
        return view(taken(written));
      },
      operation('account.create', {
        role: 'admin',
        summary: 'Create an account',
        description:
          'The account receives webhooks at `POST /{provider}/{account_slug}`. Secrets are write-only. `GET /admin/providers` lists the secret and the `provider_config` that each provider requires.',
        body: rules.create,
        query: noQuery,
        success: { 201: schemas.account },
        errors: ['conflict'],
        examples: { body: newAccount },
      }),
    )
    .get(
      '/:account_id',
      async ({ params }) => view(await existingAccount(accounts, params.account_id)),
      operation('account.read', {
        role: 'read',
        scope: 'path',
        summary: 'Get an account',
        body: noBody,
        query: noQuery,
        success: { 200: schemas.account },
        errors: ['not_found'],
      }),
    )
    .patch(
      '/:account_id',
      async ({ params, body, request }) => {
        const call = calls.of(request);
        const written = await accounts.update(existingAccountId(params.account_id), body, (sql, _account, changed) =>
          call.record(sql, 'account.update', { status: 200, changed }),
        );
        return view(taken(written));
      },
      operation('account.update', {
        role: 'admin',
        summary: 'Change an account',
        description:
          'Changes only the fields in the body. `null` clears a field. `provider_config` is merged field by field. A URL with `[masked]` keeps the stored user and password, and is refused if its scheme, host or port differ from those stored. To rotate secrets without downtime, send the new ones with `rotate: true`. Of `signing_secret_current`, the stored one becomes `signing_secret_previous`, and both are accepted. Of `delivery_secret` and `project_delivery_secret`, deliveries are signed with both until the end of the stored one, after 24 hours unless it is sent. While a previous one is in force, the answer is 409 unless `replace_previous` is true. `rotate` is refused where no secret is stored, and with `signing_secret_previous`. Before you remove a previous secret, read the account, and send its `updated_at` as `if_updated_at`: the answer is 409 if the account was changed since, for example by another rotation.',
        body: rules.change,
        query: noQuery,
        success: { 200: schemas.account },
        errors: ['not_found', 'conflict'],
        examples: { body: { delivery_url: 'https://consumer.example/hook' } },
      }),
    )
    .delete(
      '/:account_id',
      async ({ params, request }) => {
        const call = calls.of(request);
        const deleted = await accounts.delete(existingAccountId(params.account_id), (sql) =>
          call.record(sql, 'account.delete', { status: 204 }),
        );
        if (!deleted) throw accountNotFound();
        return new Response(null, { status: 204 });
      },
      operation('account.delete', {
        role: 'admin',
        summary: 'Delete an account',
        description:
          'Stops the deliveries of the account. Its events stay readable, and a new account can use its slug.',
        body: noBody,
        query: noQuery,
        success: { 204: empty },
        answers: 'The account was deleted',
        errors: ['not_found'],
      }),
    );
}
