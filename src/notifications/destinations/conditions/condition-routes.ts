import { Elysia } from 'elysia';
import { existingAccount } from '../../../accounts/account-routes.ts';
import type { AccountStore } from '../../../accounts/account-store.ts';
import type { AdminCalls } from '../../../audit/admin-calls.ts';
import { givenContent } from '../../../conditions/content.ts';
import { evaluate } from '../../../conditions/evaluate.ts';
import { parseCondition } from '../../../conditions/parse.ts';
import { functions, methods, operators } from '../../../conditions/tree.ts';
import type { Database } from '../../../database/database.ts';
import { defaultConsumer, scheduledAttempts } from '../../../events/event.ts';
import { eventItem } from '../../../events/event-view.ts';
import type { CallLimit } from '../../../http/admin/call-limit.ts';
import { clientSignal } from '../../../http/client-signal.ts';
import { noBody, noQuery, operation } from '../../../http/operation.ts';
import { Problem } from '../../../http/problem.ts';
import { type DestinationVariables, destinationVariableNames } from '../destination-condition.ts';
import * as schemas from './condition-schemas.ts';
import { readConditionVariables } from './condition-variables.ts';
import { offeredContents } from './offered-contents.ts';
import {
  contentOf,
  matchingEvents,
  type Owner,
  offeredVariables,
  recentEvents,
  rulesOf,
  shownEvents,
} from './preview.ts';

/** The default variables: an event whose attempts have all failed, with no other data. */
const exhausted: DestinationVariables = {
  delivery_failed: true,
  provider: '',
  event_type: null,
  account_slug: '',
  app_key: '',
  consumer: defaultConsumer,
  attempts: scheduledAttempts,
  response_code: null,
};

/** `/admin/conditions`: evaluates a destination's condition without side effects (R24). */
export function conditionRoutes(deps: {
  database: Database;
  accounts: Pick<AccountStore, 'get'>;
  calls: AdminCalls;
  counts: CallLimit;
}) {
  const { database, accounts, calls, counts } = deps;
  const eventsOf = async (accountId: string, owner: Owner) =>
    recentEvents(database.reader, await existingAccount(accounts, accountId), owner);
  return new Elysia({ name: 'conditions', prefix: '/conditions' })
    .post(
      '/check',
      async ({ body, request }) => {
        const { condition: text, event_id, variables: given } = body;
        // The audit log has the event's id but not the condition, which is the operator's free text.
        const call = calls.of(request);
        if (event_id !== undefined) call.note({ event_id: event_id.toLowerCase() });
        await call.requireWithin({ event_id });
        const parsed = parseCondition(text, destinationVariableNames);
        if (!parsed.ok) throw new Error('the condition was not validated');
        const { condition } = parsed;
        if (event_id === undefined) {
          const { payload, headers, ...others } = given ?? {};
          const variables: DestinationVariables = { ...exhausted, ...others };
          const content = givenContent({ payload, ...(headers ? { headers } : {}) });
          return { matches: evaluate(condition, variables, content), variables };
        }
        const variables = await readConditionVariables(database, event_id);
        if (!variables) throw new Problem('not_found', 'there is no event with this id');
        const content = await contentOf(database, condition, event_id);
        return { matches: evaluate(condition, variables, content), variables };
      },
      operation('condition.check', {
        role: 'read',
        scope: 'list',
        summary: 'Evaluate a condition',
        description:
          'Evaluates it on the current state of an event (`event_id`) with its stored body and headers, or on `variables`. Changes nothing and sends no notification.',
        body: schemas.conditionCheck,
        query: noQuery,
        success: { 200: schemas.conditionChecked },
        errors: ['not_found'],
        examples: {
          body: { condition: 'delivery_failed and provider == "generic"', variables: { provider: 'generic' } },
        },
      }),
    )
    .post(
      '/preview',
      async ({ body, request }) => {
        const { condition, account_id, of: owner = 'destination' } = body;
        const call = calls.of(request);
        call.note({ account_id: account_id.toLowerCase() });
        await call.requireWithin({ account_id });
        const parsed = parseCondition(condition, rulesOf[owner].variables);
        if (!parsed.ok) {
          const { line, column, offset, message } = parsed;
          return { ok: false, error: { line, column, offset, message }, examined: 0, matching: 0, events: [] };
        }
        const { examined, matching } = await counts.run(clientSignal(request), async () =>
          matchingEvents(database.reader, parsed.condition, await eventsOf(account_id, owner), owner),
        );
        return {
          ...{ ok: true, error: null, examined, matching: matching.length },
          events: matching.slice(0, shownEvents).map(eventItem),
        };
      },
      operation('condition.preview', {
        role: 'read',
        scope: 'list',
        summary: 'Check a condition while it is written',
        description:
          'Answers 200 also for an invalid condition, with the place of the mistake. Evaluates a valid one on the newest 1,000 events of the account; of a destination, as if the attempts of each had all failed: `delivery_failed` is true, `attempts` is at least 10, and `response_code` is the last one; of a consumer, on each webhook once, also those that no consumer got. Rejected webhooks are left out. A condition that reads `payload` or `header` is evaluated on fewer events when they have more than 8 MiB, and any condition when it takes more than a second.',
        body: schemas.conditionPreview,
        query: noQuery,
        success: { 200: schemas.conditionPreviewed },
        errors: ['not_found', 'too_many_calls'],
        examples: {
          body: {
            condition: 'delivery_failed and provider == "generic"',
            account_id: '01a1fb47-2990-7103-bb77-1c90fa89b69e',
          },
        },
      }),
    )
    .get(
      '/names',
      async ({ query, request }) => {
        const { account_id, of: owner = 'destination' } = query;
        const call = calls.of(request);
        call.note({ query });
        await call.requireWithin({ account_id });
        const events = account_id === undefined ? [] : await eventsOf(account_id, owner);
        return {
          variables: offeredVariables(events, owner),
          ...{ methods: [...methods], functions: [...functions], operators: [...operators] },
          contents: await offeredContents(database.reader, events),
        };
      },
      operation('condition.names', {
        role: 'read',
        scope: 'list',
        summary: 'List the names that a condition can contain',
        description:
          'For completion in an editor. With `account_id`, the values that the newest 1,000 events of the account have, the most frequent ones first, at most 50 of each variable; and at most 50 paths and headers of the newest 20 events.',
        body: noBody,
        query: schemas.conditionNamesQuery,
        success: { 200: schemas.conditionNames },
        errors: ['not_found'],
      }),
    );
}
