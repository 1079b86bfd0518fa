import { Elysia } from 'elysia';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { count, flag, timestamp } from '../http/admin/schemas/common.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { existingAccount } from './account-routes.ts';
import type { AccountStore } from './account-store.ts';
import { type SecretUse, secretUses } from './secret-uses.ts';
import { previousSecret } from './signing-rotation.ts';

const use = {
  webhooks: count.meta({ description: 'Webhooks that were accepted with it since it is in its place' }),
  last_used_at: timestamp.nullable().meta({ description: 'When the last of them was received' }),
};
const secret = z.object({ set: flag.meta({ description: 'Whether the account has this secret' }), ...use });

const secretsInUse = z
  .object({
    current: secret.meta({ description: '`signing_secret_current`' }),
    previous: secret.meta({ description: '`signing_secret_previous`' }),
    unsigned: z.object(use).meta({ description: 'Accepted with `skip_signature_verification`' }),
    rejected: z
      .object({
        webhooks: count.meta({ description: 'Webhooks that were rejected since the current secret is in its place' }),
        last_received_at: timestamp.nullable().meta({ description: 'When the last of them was received' }),
      })
      .meta({ description: 'Rejected, because neither secret has verified them or for another reason' }),
  })
  .meta({
    id: 'SecretsInUse',
    examples: [
      {
        current: { set: true, webhooks: 120, last_used_at: '2026-11-20T10:00:00.000Z' },
        previous: { set: true, webhooks: 4, last_used_at: '2026-11-20T09:12:41.000Z' },
        unsigned: { webhooks: 0, last_used_at: null },
        rejected: { webhooks: 0, last_received_at: null },
      },
    ],
  });

const shown = ({ webhooks, last_used_at }: SecretUse) => ({
  webhooks,
  last_used_at: last_used_at?.toISOString() ?? null,
});

/** `/admin/accounts/{account_id}/secrets`: which secret webhooks use, for a rotation without downtime (R34). */
export function secretRoutes({ database, accounts }: { database: Database; accounts: Pick<AccountStore, 'get'> }) {
  return new Elysia({ name: 'account-secrets', prefix: '/accounts' }).get(
    '/:account_id/secrets',
    async ({ params }) => {
      const account = await existingAccount(accounts, params.account_id);
      const { current, previous, unsigned, rejected } = await secretUses(database.reader, account);
      return {
        current: { set: account.signing_secret_current !== null, ...shown(current) },
        previous: { set: previousSecret(account) !== null, ...shown(previous) },
        unsigned: shown(unsigned),
        rejected: { webhooks: rejected.webhooks, last_received_at: shown(rejected).last_used_at },
      };
    },
    operation('account.secrets', {
      role: 'read',
      scope: 'path',
      summary: 'Show which signing secret the webhooks of an account use',
      description:
        'For a rotation: when no webhook uses the previous secret any more, it can be removed. Counted in memory and written every three seconds; a crash loses what was not written. A count begins again when the secret in its place is changed. The secrets themselves are never shown.',
      body: noBody,
      query: noQuery,
      success: { 200: secretsInUse },
      errors: ['not_found'],
    }),
  );
}
