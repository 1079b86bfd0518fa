import { Elysia } from 'elysia';
import { z } from 'zod';
import { tokenRoles } from '../http/admin/roles.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import type { AdminCalls } from './admin-calls.ts';

const tokenInUse = z
  .object({
    name: z.string().meta({ description: 'As in `ADMIN_TOKENS`; `admin` for the token of `ADMIN_TOKEN`' }),
    role: z.enum(tokenRoles),
  })
  .meta({ id: 'TokenInUse', examples: [{ name: 'alice', role: 'operate' }] });

/** `/admin/me`: who is calling, so that a page or a tool can hide what the token may not do. */
export function tokenRoutes(deps: { calls: AdminCalls }) {
  return new Elysia({ name: 'token' }).get(
    '/me',
    async ({ request }) => {
      const { actor, role } = deps.calls.of(request);
      return { name: actor, role };
    },
    operation('token.read', {
      role: 'read',
      summary: 'Get the name and the role of the token in use',
      body: noBody,
      query: noQuery,
      success: { 200: tokenInUse },
    }),
  );
}
