import { z } from 'zod';
import { tokenRoles } from '../http/admin/roles.ts';
import { id, text, timestamp } from '../http/admin/schemas/common.ts';
import { filled } from '../shared/text-rules.ts';
import type { TokenRow } from './token-rows.ts';

/** The scope of a token. */
export const tokenScope = z
  .union([z.object({ app_key: text }), z.object({ account_id: id })])
  .nullable()
  .meta({ description: 'The accounts that it is limited to: those with an `app_key`, or one; `null`: all' });

const common = {
  id,
  name: text.meta({ description: 'The actor of its calls in the audit log' }),
  role: z.enum(tokenRoles),
  scope: tokenScope,
  expires_at: timestamp.nullable(),
  created_by: text.meta({ description: 'Name of the token that created it' }),
  created_at: timestamp,
  last_used_at: timestamp.nullable().meta({ description: 'To ten minutes; `null`: never used' }),
};

const example = {
  id: '01a20281-79fb-71bb-9354-28b571c7eeaf',
  name: 'shop-developer',
  role: 'read' as const,
  scope: { app_key: 'my-app' },
  expires_at: '2027-02-20T10:00:00.000Z',
  created_by: 'alice',
  created_at: '2026-11-20T10:00:00.000Z',
  last_used_at: null,
};

export const storedToken = z.object(common).meta({ id: 'Token', examples: [example] });

export const createdToken = z
  .object({ ...common, token: text.meta({ description: 'The token itself, shown only here' }) })
  .meta({ id: 'CreatedToken', examples: [{ ...example, token: `wg_${'x'.repeat(43)}` }] });

/** A new token. A mistake that would widen what it may do is refused: there is no default role. */
export const newToken = z
  .strictObject({
    name: z
      .string()
      .regex(/^[\w.@-]{1,100}$/, 'must have 1 to 100 letters, digits, _ . @ or -')
      .meta({ description: 'Names the actor of its calls. No other token in force may have it' }),
    role: z.enum(tokenRoles).meta({ description: '`read` or `operate` with `app_key` or `account_id`' }),
    app_key: filled(500).optional().meta({
      description: 'Limits the token to the accounts that have this `app_key` at the time of a call',
    }),
    account_id: z
      .uuid()
      .transform((given) => given.toLowerCase())
      .optional()
      .meta({ description: 'Limits the token to this account', override: { type: 'string', format: 'uuid' } }),
    expires_at: z.iso
      .datetime({ offset: true, error: 'must be an ISO 8601 time such as 2026-11-20T10:00:00Z' })
      .transform((given) => new Date(given))
      .optional()
      .meta({ description: 'Its end; without it, it has none', override: { type: 'string', format: 'date-time' } }),
  })
  .superRefine(({ role, app_key, account_id }, context) => {
    if (app_key !== undefined && account_id !== undefined)
      context.addIssue({ code: 'custom', path: ['account_id'], message: 'must not be given together with app_key' });
    if (role === 'admin' && (app_key !== undefined || account_id !== undefined))
      context.addIssue({ code: 'custom', path: ['role'], message: 'must be read or operate for a token with a scope' });
  });

/** The token in the form of the admin API; times are ISO 8601. */
export const tokenView = (row: TokenRow): z.infer<typeof storedToken> => ({
  ...{ id: row.id, name: row.name, role: row.role },
  scope:
    row.account_id !== null ? { account_id: row.account_id } : row.app_key !== null ? { app_key: row.app_key } : null,
  expires_at: row.expires_at?.toISOString() ?? null,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
});
