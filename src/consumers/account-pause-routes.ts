import { Elysia } from 'elysia';
import { accountNotFound, existingAccountId } from '../accounts/account-routes.ts';
import { account as accountSchema } from '../accounts/account-schemas.ts';
import { accountView, type ShownBy } from '../accounts/account-view.ts';
import type { AddressRules } from '../accounts/address-rules.ts';
import { shownPause } from '../accounts/pause.ts';
import { recordEndOfPause, recordPause } from '../accounts/pause-records.ts';
import type { AdminCalls } from '../audit/admin-calls.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import type { Provider } from '../providers/provider.ts';
import { pauseBody } from './consumer-rules.ts';
import type { ConsumerStore } from './consumer-store.ts';

/** `/admin/accounts/{account_id}/pause` and `/resume`: all consumers of an account. */
export function accountPauseRoutes(deps: {
  accounts: ShownBy;
  consumers: Pick<ConsumerStore, 'pauseAccount' | 'resumeAccount'>;
  calls: AdminCalls;
  providers: ReadonlyMap<string, Provider>;
  addresses: AddressRules;
}) {
  const { consumers, calls } = deps;
  return new Elysia({ name: 'account-pauses', prefix: '/accounts' })
    .post(
      '/:account_id/pause',
      async ({ params, body, request }) => {
        const call = calls.of(request);
        const accountId = existingAccountId(params.account_id);
        const owner = { accountId, consumerId: null };
        const paused = await consumers.pauseAccount(accountId, body?.reason ?? '', async (sql, account) => {
          await recordPause(sql, owner, shownPause(account), call.actor);
          await call.record(sql, 'account.pause', { status: 200, ...shownPause(account) });
        });
        if (!paused) throw accountNotFound();
        return accountView(deps, paused);
      },
      operation('account.pause', {
        role: 'operate',
        scope: 'path',
        summary: 'Pause deliveries to all consumers of an account',
        description:
          'Webhooks are still accepted and become events. Attempts that become due wait until deliveries are resumed. Attempts in flight are completed. A pause that is already in force keeps its time and reason.',
        body: pauseBody,
        query: noQuery,
        success: { 200: accountSchema },
        errors: ['not_found'],
        examples: { body: { reason: 'the shop moves to another data center' } },
      }),
    )
    .post(
      '/:account_id/resume',
      async ({ params, request }) => {
        const call = calls.of(request);
        const accountId = existingAccountId(params.account_id);
        const resumed = await consumers.resumeAccount(accountId, async (sql) => {
          await recordEndOfPause(sql, { accountId, consumerId: null }, call.actor);
          await call.record(sql, 'account.resume', { status: 200 });
        });
        if (!resumed) throw accountNotFound();
        return accountView(deps, resumed);
      },
      operation('account.resume', {
        role: 'operate',
        scope: 'path',
        summary: 'Resume deliveries to the consumers of an account',
        description:
          'Attempts that are due begin within 5 seconds. Consumers that are paused themselves stay paused. Has no effect if the account is not paused.',
        body: noBody,
        query: noQuery,
        success: { 200: accountSchema },
        errors: ['not_found'],
      }),
    );
}
