import { Elysia } from 'elysia';
import { z } from 'zod';
import { accountNotFound, existingAccountId } from '../../accounts/account-routes.ts';
import { type AddressRules, addressWarnings } from '../../accounts/address-rules.ts';
import type { AdminCalls } from '../../audit/admin-calls.ts';
import type { TokenRole } from '../../http/admin/roles.ts';
import { empty } from '../../http/admin/schemas/common.ts';
import { noBody, noQuery, operation } from '../../http/operation.ts';
import { Problem } from '../../http/problem.ts';
import { isId } from '../../shared/is-id.ts';
import { fieldsInWords } from '../../shared/plain-words.ts';
import { destinationSchemas } from './destination-rules.ts';
import { destination as destinationSchema } from './destination-schemas.ts';
import type { Destination, DestinationStore } from './destination-store.ts';
import { destinationView } from './destination-view.ts';

export const destinationNotFound = () => new Problem('not_found', 'this account has no destination with this id');

const newDestination = {
  destination_type: 'email',
  name: 'On-call',
  config: { addresses: ['on-call@example.com'], include_payload: true },
  kinds: ['delivery.failed', 'incident.opened', 'incident.resolved'],
};

/** The URLs of a config, by their paths. */
const urlsOf = (config: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(config).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'string' && /^(webhook_)?url$/.test(name) ? [[`config.${name}`, value]] : [],
    ),
  );

/** @throws Problem `invalid` for a config with the URL of an address to which nothing is sent */
function refuseAddresses({ refusal }: Pick<AddressRules, 'refusal'>, config: object): void {
  const errors = Object.entries(urlsOf(config)).flatMap(([path, url]) => {
    const message = refusal(url);
    return message === null ? [] : [{ path, message }];
  });
  if (errors.length > 0) throw new Problem('invalid', fieldsInWords(errors), { errors });
}

/** `/admin/accounts/{account_id}/destinations` (R23). */
export function destinationRoutes(deps: {
  destinations: DestinationStore;
  calls: AdminCalls;
  addresses: AddressRules;
}) {
  const { destinations, calls, addresses } = deps;
  const shown = async (destination: Destination, role: TokenRole) => ({
    ...destinationView(destination, role),
    warnings: await addressWarnings(addresses, urlsOf(destination.config)),
  });
  return new Elysia({ name: 'destinations', prefix: '/accounts/:account_id/destinations' })
    .get(
      '/',
      async ({ params, request }) => {
        const { role } = calls.of(request);
        const found = await destinations.list(existingAccountId(params.account_id));
        if (!found) throw accountNotFound();
        return Promise.all(found.map((destination) => shown(destination, role)));
      },
      operation('destination.list', {
        role: 'read',
        scope: 'path',
        summary: "List an account's destinations",
        description: 'Ordered by `position`, then oldest first.',
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
        refuseAddresses(addresses, body.config);
        const created = await destinations.create(accountId, body, (sql, { id, destination_type, name }) => {
          const details = { status: 201, destination_id: id, destination_type, name };
          return call.record(sql, 'destination.create', details);
        });
        if (!created.ok) {
          if (created.reason === 'account_not_found') throw accountNotFound();
          throw new Problem('conflict', 'the account already has the maximum number of destinations; delete one first');
        }
        set.status = 201;
        return shown(created.destination, call.role);
      },
      operation('destination.create', {
        role: 'admin',
        summary: 'Create a destination',
        description:
          'The destination is notified when all attempts of an event have failed, and of incidents if its `kinds` say so.',
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
        if (!isId(destination_id)) throw destinationNotFound();
        refuseAddresses(addresses, body.config ?? {});
        const written = await destinations.update(accountId, destination_id, body, (sql, _destination, changed) =>
          call.record(sql, 'destination.update', { status: 200, changed }),
        );
        if (written.ok) return shown(written.destination, call.role);
        if (written.reason === 'not_found') throw destinationNotFound();
        const { errors } = written;
        throw new Problem('invalid', errors.map(({ path, message }) => `${path}: ${message}`).join('; '), { errors });
      },
      operation('destination.update', {
        role: 'admin',
        summary: 'Change a destination',
        description:
          'Changes only the fields in the body, also within `config`. `null` clears a field. A new `destination_type` requires a complete `config`.',
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
          (await destinations.delete(accountId, destination_id, (sql) =>
            call.record(sql, 'destination.delete', { status: 204 }),
          ));
        if (!deleted) throw destinationNotFound();
        return new Response(null, { status: 204 });
      },
      operation('destination.delete', {
        role: 'admin',
        summary: 'Delete a destination',
        body: noBody,
        query: noQuery,
        success: { 204: empty },
        answers: 'The destination was deleted',
        errors: ['not_found'],
      }),
    );
}
