import { Elysia } from 'elysia';
import type { AccountRow } from '../accounts/account-entity.ts';
import { accountNotFound, existingAccountId } from '../accounts/account-routes.ts';
import * as schemas from '../accounts/account-schemas.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AdminCalls } from '../audit/admin-calls.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import type { TestDelivery } from './test-delivery.ts';

/** `/admin/accounts/{account_id}/test-delivery`: checks whether the account's consumer accepts events. */
export function testDeliveryRoutes(deps: {
  accounts: Pick<AccountStore, 'get'>;
  calls: AdminCalls;
  testDelivery: (account: AccountRow) => Promise<TestDelivery>;
}) {
  const { accounts, calls } = deps;
  return new Elysia({ name: 'test-delivery', prefix: '/accounts' }).post(
    '/:account_id/test-delivery',
    async ({ params, request }) => {
      const { account_id } = params;
      const call = calls.of(request);
      const account = await accounts.get(existingAccountId(account_id));
      if (!account) throw accountNotFound();
      const result = await deps.testDelivery(account);
      if (!result.ok) {
        call.note({ outcome: result.outcome, response_code: result.responseCode });
        const { responseCode, responseBody } = result;
        throw new Problem('delivery_unreachable', result.detail, { responseCode, responseBody });
      }
      return {
        ok: true as const,
        url: result.url,
        response_code: result.responseCode,
        response_body: result.responseBody,
        duration_ms: result.durationMs,
      };
    },
    operation('account.test_delivery', {
      role: 'operate',
      summary: 'Send a test event to the consumer',
      description:
        'Posts a signed event of the type `webhook_gateway.test` to the delivery URL, in the same way as other events, with the header `x-webhook-test: true`. The event is not stored, and a failed test is not retried.',
      body: noBody,
      query: noQuery,
      success: { 200: schemas.testDelivered },
      answers: 'The consumer responded with 2xx',
      errors: ['not_found', 'delivery_unreachable'],
    }),
  );
}
