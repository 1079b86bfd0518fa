import { Elysia } from 'elysia';
import type { AccountRow } from '../accounts/account-entity.ts';
import { existingAccount } from '../accounts/account-routes.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AdminCalls } from '../audit/admin-calls.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { isId } from '../shared/is-id.ts';
import { destinationNotFound } from './destinations/destination-routes.ts';
import { destinationTested } from './destinations/destination-schemas.ts';
import type { Destination, DestinationStore } from './destinations/destination-store.ts';
import type { Said } from './notice.ts';

/** `/admin/accounts/{account_id}/destinations/{destination_id}/test`: sends a sample notification. */
export function testDestinationRoutes(deps: {
  accounts: Pick<AccountStore, 'get'>;
  destinations: DestinationStore;
  calls: AdminCalls;
  testDestination: (account: AccountRow, destination: Destination) => Promise<Said>;
}) {
  const { accounts, destinations, calls } = deps;
  return new Elysia({ name: 'test-destination', prefix: '/accounts/:account_id/destinations' }).post(
    '/:destination_id/test',
    async ({ params, request }) => {
      const { account_id, destination_id } = params;
      const call = calls.of(request);
      const account = await existingAccount(accounts, account_id);
      const destination = isId(destination_id) ? await destinations.get(account.id, destination_id) : null;
      if (!destination) throw destinationNotFound();
      const said = await deps.testDestination(account, destination);
      if (!said.ok) {
        const { outcome, error, responseCode, responseBody } = said;
        call.note({ outcome, response_code: responseCode });
        throw new Problem('delivery_unreachable', error, { responseCode, responseBody });
      }
      return {
        ok: true as const,
        destination_type: destination.destination_type,
        response_code: said.responseCode,
        response_body: said.responseBody,
        duration_ms: said.durationMs,
        outbox_file: said.outboxFile,
      };
    },
    operation('destination.test', {
      role: 'operate',
      scope: 'path',
      summary: 'Send a sample notification',
      description:
        'Sends a notification about a sample event of the type `webhook_gateway.test`, in the same way as about failed events. Returns the response of the service. Nothing is stored, and a failed test is not retried. Also works for disabled destinations.',
      body: noBody,
      query: noQuery,
      success: { 200: destinationTested },
      answers: 'The service accepted the notification, or it was written to the outbox',
      errors: ['not_found', 'delivery_unreachable'],
    }),
  );
}
