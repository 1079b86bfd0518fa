import { Elysia } from 'elysia';
import { z } from 'zod';
import { accountNotFound, existingAccountId, rotationNotEnded } from '../accounts/account-routes.ts';
import { type AddressRules, addressWarnings } from '../accounts/address-rules.ts';
import { shownPause } from '../accounts/pause.ts';
import { recordEndOfPause, recordPause } from '../accounts/pause-records.ts';
import type { AdminCalls } from '../audit/admin-calls.ts';
import { empty } from '../http/admin/schemas/common.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { fieldsInWords } from '../shared/plain-words.ts';
import { type Consumer, consumerView } from './consumer.ts';
import {
  type ConsumerChange,
  consumerSchemas,
  defaultName,
  isConsumerName,
  maxConsumers,
  pauseBody,
} from './consumer-rules.ts';
import { consumer as consumerSchema } from './consumer-schemas.ts';
import type { ConsumerStore, ConsumerWrite } from './consumer-store.ts';

export const consumerNotFound = () => new Problem('not_found', 'this account has no consumer with this name');

/** @throws Problem `not_found` for a text that no consumer has as its name */
function existingName(given: string): string {
  if (!isConsumerName(given)) throw consumerNotFound();
  return given;
}

function written(write: ConsumerWrite): Consumer {
  if (write.ok) return write.consumer;
  switch (write.reason) {
    case 'account_not_found':
      throw accountNotFound();
    case 'not_found':
      throw consumerNotFound();
    case 'is_default':
      throw new Problem('conflict', `the consumer ${defaultName} cannot be deleted; it can be disabled`);
    case 'previous_in_use':
      throw rotationNotEnded(write.errors);
    case 'invalid':
      throw new Problem('invalid', fieldsInWords(write.errors), { errors: write.errors });
    default:
      return write satisfies never;
  }
}

/** The names of the fields that a change changes, for the audit log. */
function changedFields({ rotate, replace_previous: _, ...fields }: ConsumerChange): string[] {
  return Object.keys(rotate ? { ...fields, secret_previous_expires_at: '' } : fields);
}

const newConsumer = {
  name: 'billing',
  url: 'https://billing.example/hook',
  secret: 'change-me',
  condition: 'event_type.startswith("invoice.") and payload.data.object.amount_due > 0',
};

/** `/admin/accounts/{account_id}/consumers`: where the events of an account are delivered. */
export function accountConsumerRoutes(deps: { consumers: ConsumerStore; calls: AdminCalls; addresses: AddressRules }) {
  const { consumers, calls } = deps;
  const rules = consumerSchemas(deps.addresses);
  const shown = async (one: Consumer) => ({
    ...consumerView(one),
    warnings: await addressWarnings(deps.addresses, {
      url: one.url,
      'authentication.token_url': one.authentication?.type === 'oauth2' ? one.authentication.token_url : null,
    }),
  });
  const listed = async (accountId: string) => {
    const found = await consumers.list(existingAccountId(accountId));
    if (!found) throw accountNotFound();
    return found;
  };
  return new Elysia({ name: 'account-consumers', prefix: '/accounts/:account_id/consumers' })
    .get(
      '/',
      async ({ params }) => Promise.all((await listed(params.account_id)).map(shown)),
      operation('consumer.list', {
        role: 'read',
        scope: 'path',
        summary: 'List the consumers of an account',
        description: `\`${defaultName}\` first, then the oldest first.`,
        body: noBody,
        query: noQuery,
        success: { 200: z.array(consumerSchema) },
        errors: ['not_found'],
      }),
    )
    .post(
      '/',
      async ({ params, body, request, set }) => {
        const call = calls.of(request);
        const created = await consumers.create(existingAccountId(params.account_id), body, (sql, { id, name }) =>
          call.record(sql, 'consumer.create', { status: 201, consumer_id: id, consumer: name }),
        );
        const consumer = written(created);
        set.status = 201;
        return shown(consumer);
      },
      operation('consumer.create', {
        role: 'admin',
        summary: 'Create a consumer',
        description: `It gets an event of each new webhook that meets its condition. An account has at most ${maxConsumers} consumers, \`${defaultName}\` included. A name that is taken is answered 422.`,
        body: rules.create,
        query: noQuery,
        success: { 201: consumerSchema },
        errors: ['not_found'],
        examples: { body: newConsumer },
      }),
    )
    .get(
      '/:consumer',
      async ({ params }) => {
        const name = existingName(params.consumer);
        const found = (await listed(params.account_id)).find((one) => one.name === name);
        if (!found) throw consumerNotFound();
        return shown(found);
      },
      operation('consumer.read', {
        role: 'read',
        scope: 'path',
        summary: 'Get a consumer',
        body: noBody,
        query: noQuery,
        success: { 200: consumerSchema },
        errors: ['not_found'],
      }),
    )
    .patch(
      '/:consumer',
      async ({ params, body, request }) => {
        const call = calls.of(request);
        const accountId = existingAccountId(params.account_id);
        const changed = changedFields(body);
        const update = await consumers.update(accountId, existingName(params.consumer), body, (sql, { id }) =>
          call.record(sql, 'consumer.update', { status: 200, consumer_id: id, changed }),
        );
        return shown(written(update));
      },
      operation('consumer.update', {
        role: 'admin',
        summary: 'Change a consumer',
        description: `Changes only the fields in the body. \`null\` clears a field, except \`name\`, \`url\` and \`enabled\`. A URL with \`[masked]\` keeps the stored user and password, and is refused if its scheme, host or port differ from those stored. With \`rotate: true\` and a new \`secret\`, deliveries are signed with both until the end of the stored one, after 24 hours unless it is sent. While a previous one is in force, the answer is 409 unless \`replace_previous\` is true. Of \`${defaultName}\`, \`name\`, \`url\` and \`secret\` cannot be changed here, and its secret is rotated with the account.`,
        body: rules.change,
        query: noQuery,
        success: { 200: consumerSchema },
        errors: ['not_found', 'conflict'],
        examples: { body: { enabled: false } },
      }),
    )
    .delete(
      '/:consumer',
      async ({ params, request }) => {
        const call = calls.of(request);
        const accountId = existingAccountId(params.account_id);
        const deleted = await consumers.delete(accountId, existingName(params.consumer), (sql, { id }) =>
          call.record(sql, 'consumer.delete', { status: 204, consumer_id: id }),
        );
        written(deleted);
        return new Response(null, { status: 204 });
      },
      operation('consumer.delete', {
        role: 'admin',
        summary: 'Delete a consumer',
        description: `Its waiting events end as \`consumer_deleted\`, without notifications, and stay readable. Its name is free again. \`${defaultName}\` cannot be deleted.`,
        body: noBody,
        query: noQuery,
        success: { 204: empty },
        answers: 'The consumer was deleted',
        errors: ['not_found', 'conflict'],
      }),
    )
    .post(
      '/:consumer/pause',
      async ({ params, body, request }) => {
        const call = calls.of(request);
        const accountId = existingAccountId(params.account_id);
        const name = existingName(params.consumer);
        const paused = await consumers.pause(accountId, name, body?.reason ?? '', async (sql, consumer) => {
          const shown = shownPause(consumer);
          await recordPause(sql, { accountId, consumerId: consumer.id }, shown, call.actor);
          await call.record(sql, 'consumer.pause', { status: 200, consumer_id: consumer.id, ...shown });
        });
        return shown(written(paused));
      },
      operation('consumer.pause', {
        role: 'operate',
        scope: 'path',
        summary: 'Pause deliveries to a consumer',
        description:
          'New webhooks still become events of it. Attempts that become due wait until deliveries to it are resumed. Attempts in flight are completed. A pause that is already in force keeps its time and reason.',
        body: pauseBody,
        query: noQuery,
        success: { 200: consumerSchema },
        errors: ['not_found'],
        examples: { body: { reason: 'the invoice service moves to another database' } },
      }),
    )
    .post(
      '/:consumer/resume',
      async ({ params, request }) => {
        const call = calls.of(request);
        const accountId = existingAccountId(params.account_id);
        const resumed = await consumers.resume(accountId, existingName(params.consumer), async (sql, { id }) => {
          await recordEndOfPause(sql, { accountId, consumerId: id }, call.actor);
          await call.record(sql, 'consumer.resume', { status: 200, consumer_id: id });
        });
        return shown(written(resumed));
      },
      operation('consumer.resume', {
        role: 'operate',
        scope: 'path',
        summary: 'Resume deliveries to a consumer',
        description: 'Attempts that are due begin within 5 seconds. Has no effect if deliveries to it are not paused.',
        body: noBody,
        query: noQuery,
        success: { 200: consumerSchema },
        errors: ['not_found'],
      }),
    );
}
