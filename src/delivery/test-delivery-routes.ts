import { Elysia } from 'elysia';
import { z } from 'zod';
import type { AccountRow } from '../accounts/account-entity.ts';
import { existingAccount } from '../accounts/account-routes.ts';
import * as schemas from '../accounts/account-schemas.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AdminCalls } from '../audit/admin-calls.ts';
import { consumerNotFound } from '../consumers/consumer-routes.ts';
import { consumerName, defaultName } from '../consumers/consumer-rules.ts';
import type { ConsumerStore, TestedConsumer } from '../consumers/consumer-store.ts';
import { noQuery, operation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import type { TestDelivery } from './test-delivery.ts';

const testBody = z
  .strictObject({
    consumer: consumerName.meta({ description: `Name of the consumer; \`${defaultName}\` when absent` }),
  })
  .partial()
  .nullish();

/** `/admin/accounts/{account_id}/test-delivery`: checks whether a consumer of the account accepts events. */
export function testDeliveryRoutes(deps: {
  accounts: Pick<AccountStore, 'get'>;
  consumers: Pick<ConsumerStore, 'tested'>;
  calls: AdminCalls;
  testDelivery: (account: AccountRow, consumer: TestedConsumer) => Promise<TestDelivery>;
}) {
  const { accounts, consumers, calls } = deps;
  return new Elysia({ name: 'test-delivery', prefix: '/accounts' }).post(
    '/:account_id/test-delivery',
    async ({ params, body, request }) => {
      const call = calls.of(request);
      const name = body?.consumer ?? defaultName;
      if (body?.consumer !== undefined) call.note({ consumer: name });
      const account = await existingAccount(accounts, params.account_id);
      const consumer = await consumers.tested(account.id, name);
      if (consumer === null) throw consumerNotFound();
      const result = await deps.testDelivery(account, consumer);
      if (!result.ok) {
        call.note({ outcome: result.outcome, response_code: result.responseCode });
        const { responseCode, responseBody } = result;
        throw new Problem('delivery_unreachable', result.detail, { step: result.step, responseCode, responseBody });
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
      scope: 'path',
      summary: 'Send a test event to a consumer',
      description:
        'Posts a signed event of the type `webhook_gateway.test` to the URL of a consumer, in the same way as other events, with the header `x-webhook-test: true`. The event is not stored, and a failed test is not retried.',
      body: testBody,
      query: noQuery,
      success: { 200: schemas.testDelivered },
      answers: 'The consumer responded with 2xx',
      errors: ['not_found', 'delivery_unreachable'],
      examples: { body: { consumer: defaultName } },
    }),
  );
}
