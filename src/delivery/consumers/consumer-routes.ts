import { Elysia } from 'elysia';
import { z } from 'zod';
import { accountNotFound, existingAccountId } from '../../accounts/account-routes.ts';
import type { AccountStore } from '../../accounts/account-store.ts';
import type { AdminCalls } from '../../audit/admin-calls.ts';
import type { Database } from '../../database/database.ts';
import { optionalInteger, textFilter } from '../../http/admin/query-schemas.ts';
import { noBody, operation } from '../../http/operation.ts';
import { Problem } from '../../http/problem.ts';
import { consumerHours, failingAccountList } from './consumer-schemas.ts';
import { consumerByHour, failingAccounts, type Hours, lastHours } from './consumer-statistics.ts';

/** As for the counts over time: 31 days. */
const mostHours = 31 * 24;
const hoursByDefault = 24;
const accountsByDefault = 10;

const hours = optionalInteger(1, mostHours, hoursByDefault).meta({
  description: 'How many hours, the present one included',
});

const counting =
  'Counted in memory by each process that makes attempts, and written every five seconds; a crash loses what was not written. Kept for 31 days.';

const iso = ({ from, to }: Hours) => ({ from: from.toISOString(), to: to.toISOString() });

const readConsumerIds = {
  name: '',
  text: `
    select id from (select $1::uuid as id, 'default' as name union select id, name from consumers where account_id = $1 and ($2::text is null or deleted_at is null)) c
    where $2::text is null or name = $2`,
};

/** @throws Problem `not_found` when the account has no consumer of this name. */
async function consumerIds(database: Database, accountId: string, name: string | undefined): Promise<string[]> {
  const rows = await database.reader.query<{ id: string }>(readConsumerIds, [accountId, name ?? null]);
  if (rows.length === 0) throw new Problem('not_found', 'the account has no consumer of this name');
  return [...new Set(rows.map(({ id }) => id))];
}

/** How consumers fare: `/admin/accounts/{account_id}/consumer` and `/admin/delivery/accounts`. */
export function consumerRoutes(deps: { database: Database; accounts: Pick<AccountStore, 'get'>; calls: AdminCalls }) {
  const { database, accounts, calls } = deps;
  return new Elysia({ name: 'consumers' })
    .get(
      '/accounts/:account_id/consumer',
      async ({ params, query, request }) => {
        calls.of(request).note({ query });
        const account = await accounts.get(existingAccountId(params.account_id));
        if (!account) throw accountNotFound();
        const span = lastHours(query.hours ?? hoursByDefault, Date.now());
        return {
          account_id: account.id,
          ...iso(span),
          points: await consumerByHour(database.reader, await consumerIds(database, account.id, query.consumer), span),
        };
      },
      operation('account.consumer', {
        role: 'read',
        scope: 'path',
        summary: 'Show how the consumers of an account fare by the hour',
        description: `All consumers of the account together, deleted ones included, or one of them. A point for each hour, oldest first, also for those without attempts. ${counting}`,
        body: noBody,
        query: z.strictObject({ hours, consumer: textFilter.meta({ description: 'The name of one consumer' }) }),
        success: { 200: consumerHours },
        errors: ['not_found'],
      }),
    )
    .get(
      '/delivery/accounts',
      async ({ query, request }) => {
        const call = calls.of(request);
        call.note({ query });
        const span = lastHours(query.hours ?? hoursByDefault, Date.now());
        const limit = query.limit ?? accountsByDefault;
        const found = await failingAccounts(database.reader, span, { limit, accountIds: call.accountIds });
        return { ...iso(span), accounts: found };
      },
      operation('delivery.accounts', {
        role: 'read',
        scope: 'list',
        summary: 'List the accounts with the most failed attempts',
        description: `Most first. Accounts without a failed attempt are left out. ${counting}`,
        body: noBody,
        query: z.strictObject({ hours, limit: optionalInteger(1, 100, accountsByDefault) }),
        success: { 200: failingAccountList },
      }),
    );
}
