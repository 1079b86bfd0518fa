import { Elysia } from 'elysia';
import { z } from 'zod';
import type { AccountRow } from '../accounts/account-entity.ts';
import { accountNotFound, existingAccountId } from '../accounts/account-routes.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AdminCalls } from '../audit/admin-calls.ts';
import { sqlOfTransaction } from '../database/transaction.ts';
import { isId } from '../http/admin/query-schemas.ts';
import { empty } from '../http/admin/schemas/common.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import type { Said } from '../notifications/notice.ts';
import { destinationSchemas } from './destination-rules.ts';
import { destination as destinationSchema, destinationTested } from './destination-schemas.ts';
import type { Destination, DestinationStore } from './destination-store.ts';
import { destinationView } from './destination-view.ts';

const notFound = () => new Problem('not_found', 'there is no destination of this id at this account');

const newDestination = {
  destination_type: 'email',
  name: 'On-call',
  config: { addresses: ['on-call@example.com'], include_payload: true },
  condition: 'delivery_failed',
};

/** `/admin/accounts/{account_id}/destinations` (specification, section 4.3). */
export function destinationRoutes(deps: {
  accounts: Pick<AccountStore, 'get'>;
  destinations: DestinationStore;
  calls: AdminCalls;
  testDestination: (account: AccountRow, destination: Destination) => Promise<Said>;
}) {
  const { accounts, destinations, calls } = deps;
  return new Elysia({ name: 'destinations', prefix: '/accounts/:account_id/destinations' })
    .get(
      '/',
      async ({ params }) => {
        const found = await destinations.list(existingAccountId(params.account_id));
        if (!found) throw accountNotFound();
        return found.map(destinationView);
      },
      operation('destination.list', {
        summary: "List an account's destinations",
        description: 'By `position`, then by age.',
        body: noBody,
        query: noQuery,
        success: { 200: z.array(destinationSchema) },
        errors: ['not_found'],
      }),
    )
    .post(
      '/',
      async ({ params, body, request, set }) => {
        const call = calls.of(request);
        const accountId = existingAccountId(params.account_id);
        const created = await destinations.create(accountId, body, (tx, { id, destination_type, name }) => {
          const details = { status: 201, destination_id: id, destination_type, name };
          return call.record(sqlOfTransaction(tx), 'destination.create', details);
        });
        if (!created.ok) {
          if (created.reason === 'account_not_found') throw accountNotFound();
          throw new Problem('conflict', 'the account has as many destinations as it may have');
        }
        set.status = 201;
        return destinationView(created.destination);
      },
      operation('destination.create', {
        summary: 'Create a destination',
        description: 'Where people are told when all attempts of an event have failed.',
        body: destinationSchemas.create,
        query: noQuery,
        success: { 201: destinationSchema },
        errors: ['not_found', 'conflict'],
        examples: { body: newDestination },
      }),
    )
    .patch(
      '/:destination_id',
      async ({ params, body, request }) => {
        const { account_id, destination_id } = params;
        const call = calls.of(request);
        const accountId = existingAccountId(account_id);
        if (!isId(destination_id)) throw notFound();
        const written = await destinations.update(accountId, destination_id, body, (tx, _destination, changed) =>
          call.record(sqlOfTransaction(tx), 'destination.update', { status: 200, changed }),
        );
        if (written.ok) return destinationView(written.destination);
        if (written.reason === 'not_found') throw notFound();
        const { errors } = written;
        throw new Problem('invalid', errors.map(({ path, message }) => `${path}: ${message}`).join('; '), { errors });
      },
      operation('destination.update', {
        summary: 'Change a destination',
        description:
          'Changes only the fields that are sent, also within `config`; `null` clears one. A new `destination_type` needs a whole new `config`.',
        body: destinationSchemas.change,
        query: noQuery,
        success: { 200: destinationSchema },
        errors: ['not_found'],
        examples: { body: { enabled: false } },
      }),
    )
    .delete(
      '/:destination_id',
      async ({ params, request }) => {
        const { account_id, destination_id } = params;
        const call = calls.of(request);
        const accountId = existingAccountId(account_id);
        const deleted =
          isId(destination_id) &&
          (await destinations.delete(accountId, destination_id, (tx) =>
            call.record(sqlOfTransaction(tx), 'destination.delete', { status: 204 }),
          ));
        if (!deleted) throw notFound();
        return new Response(null, { status: 204 });
      },
      operation('destination.delete', {
        summary: 'Delete a destination',
        body: noBody,
        query: noQuery,
        success: { 204: empty },
        answers: 'It is deleted',
        errors: ['not_found'],
      }),
    )
    .post(
      '/:destination_id/test',
      async ({ params, request }) => {
        const { account_id, destination_id } = params;
        const call = calls.of(request);
        const account = await accounts.get(existingAccountId(account_id));
        if (!account) throw accountNotFound();
        const destination = isId(destination_id) ? await destinations.get(account.id, destination_id) : null;
        if (!destination) throw notFound();
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
        summary: 'Send a sample notification',
        description:
          'Tells the destination of a made-up event of the type `webhook_gateway.test`, in the very way it is told of failed ones, and answers with what the service said. Nothing is stored, and it is not tried again. Disabled destinations can be tried, too.',
        body: noBody,
        query: noQuery,
        success: { 200: destinationTested },
        answers: 'The service took it, or it is in the outbox',
        errors: ['not_found', 'delivery_unreachable'],
      }),
    );
}
