import { Elysia } from 'elysia';
import { z } from 'zod';
import type { AdminCalls } from '../audit/admin-calls.ts';
import { tokenRoles } from '../http/admin/roles.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { tokenScope } from './token-schemas.ts';

const tokenInUse = z
  .object({
    name: z.string().meta({
      description: 'As in `ADMIN_TOKENS`; `admin` for the token of `ADMIN_TOKEN`; or as the token was created',
    }),
    role: z.enum(tokenRoles),
    scope: tokenScope,
  })
  .meta({ id: 'TokenInUse', examples: [{ name: 'alice', role: 'operate', scope: null }] });

/** `/admin/me`: who is calling, so that a page or a tool can hide what the token may not do. */
export function tokenInUseRoutes(deps: { calls: AdminCalls }) {
  return new Elysia({ name: 'token-in-use' }).get(
    '/me',
    async ({ request }) => {
      const { actor, role, scope } = deps.calls.of(request);
      return { name: actor, role, scope };
    },
    operation('token.read', {
      role: 'read',
      scope: 'free',
      summary: 'Get the name, the role and the scope of the token in use',
      body: noBody,
      query: noQuery,
      success: { 200: tokenInUse },
    }),
  );
}
