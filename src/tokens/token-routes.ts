import { Elysia } from 'elysia';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { AdminCalls } from '../audit/admin-calls.ts';
import type { Database } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { empty } from '../http/admin/schemas/common.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { isId } from '../shared/is-id.ts';
import { fieldsInWords } from '../shared/plain-words.ts';
import type { KnownTokens } from './known-tokens.ts';
import { hashOf, newToken as makeToken } from './stored-token.ts';
import { countTokenRows, insertTokenRow, listTokenRows, revokeTokenRow } from './token-rows.ts';
import { createdToken, newToken, storedToken, tokenView } from './token-schemas.ts';

/** Every process keeps them in memory and reads them twice a second. */
const mostTokens = 1_000;

const tokenNotFound = () => new Problem('not_found', 'there is no token with this id');

const invalid = (path: string, message: string) =>
  new Problem('invalid', fieldsInWords([{ path, message }]), { errors: [{ path, message }] });

const nameTaken = (name: string) =>
  new Problem('conflict', `a token with the name '${name}' is in force; revoke it first, or choose another name`, {
    errors: [{ path: 'name', message: 'is taken' }],
  });

const findAccount = {
  name: 'find_account_of_token',
  text: 'select id from accounts where id = $1 and deleted_at is null',
};

/** @throws Problem `invalid` when there is no account with this id */
async function requireAccount(sql: Sql, id: string): Promise<void> {
  if ((await sql.query<{ id: string }>(findAccount, [id])).length === 0)
    throw invalid('account_id', 'must be the id of an account');
}

/** `/admin/tokens`: tokens that are stored, besides those of the configuration. */
export function tokenRoutes({
  database,
  calls,
  tokens,
}: {
  database: Database;
  calls: AdminCalls;
  tokens: Pick<KnownTokens, 'hasConfigured' | 'reload'>;
}) {
  /** This process knows the change at once. If the read fails, the next one follows within a second. */
  const knowNow = () => tokens.reload().catch(() => undefined);
  return new Elysia({ name: 'tokens', prefix: '/tokens' })
    .get(
      '/',
      async () => (await listTokenRows(database.reader)).map(tokenView),
      operation('token.list', {
        role: 'admin',
        summary: 'List the stored tokens in force',
        description: 'By name, without the tokens themselves. Those of `ADMIN_TOKENS` are not stored.',
        body: noBody,
        query: noQuery,
        success: { 200: z.array(storedToken) },
      }),
    )
    .post(
      '/',
      async ({ body, request, set }) => {
        const call = calls.of(request);
        const { name, role, app_key = null, account_id = null, expires_at = null } = body;
        const details = { name, role, app_key, account_id, expires_at };
        call.note(details);
        if (expires_at && expires_at.getTime() <= Date.now()) throw invalid('expires_at', 'must be in the future');
        if (tokens.hasConfigured(name)) throw nameTaken(name);
        const token = makeToken();
        const row = await database.transaction(async (sql) => {
          if (account_id !== null) await requireAccount(sql, account_id);
          if ((await countTokenRows(sql)) >= mostTokens)
            throw new Problem('conflict', `${mostTokens} tokens are in force; revoke one first`);
          const id = uuidv7();
          const made = await insertTokenRow(sql, {
            ...{ id, hash: hashOf(token), name, role, app_key, account_id, expires_at, created_by: call.actor },
          });
          if (!made) throw nameTaken(name);
          await call.record(sql, 'token.create', { status: 201, token_id: id });
          return made;
        });
        await knowNow();
        set.status = 201;
        return { ...tokenView(row), token };
      },
      operation('token.create', {
        role: 'admin',
        summary: 'Create a token',
        description:
          'The answer is the only one that shows the token: the gateway stores its SHA-256. With `app_key` or `account_id`, the token sees and changes only what belongs to these accounts, and operations that cannot be limited are refused with 403 `out_of_scope`. Other processes accept it within a second.',
        body: newToken,
        query: noQuery,
        success: { 201: createdToken },
        errors: ['conflict'],
        examples: { body: { name: 'shop-developer', role: 'read', app_key: 'my-app' } },
      }),
    )
    .delete(
      '/:token_id',
      async ({ params, request }) => {
        const id = params.token_id;
        if (!isId(id)) throw tokenNotFound();
        const call = calls.of(request);
        const name = await database.transaction(async (sql) => {
          const revoked = await revokeTokenRow(sql, id);
          if (revoked !== null) await call.record(sql, 'token.revoke', { status: 204, name: revoked });
          return revoked;
        });
        if (name === null) throw tokenNotFound();
        await knowNow();
        return new Response(null, { status: 204 });
      },
      operation('token.revoke', {
        role: 'admin',
        summary: 'Revoke a token',
        description: 'Every process refuses it within a second, and ends its streams of events.',
        body: noBody,
        query: noQuery,
        success: { 204: empty },
        answers: 'The token was revoked',
        errors: ['not_found'],
      }),
    );
}
