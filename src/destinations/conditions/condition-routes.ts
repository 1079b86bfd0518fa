import { Elysia } from 'elysia';
import type { AdminCalls } from '../../audit/admin-calls.ts';
import type { Database } from '../../database/database.ts';
import { scheduledAttempts } from '../../events/event.ts';
import { noQuery, operation } from '../../http/operation.ts';
import { Problem } from '../../http/problem.ts';
import { conditionCheck, conditionChecked } from './condition-schemas.ts';
import { readConditionVariables } from './condition-variables.ts';
import { evaluate } from './evaluate.ts';
import { parseCondition } from './parse.ts';
import type { Variables } from './tree.ts';

/** The default variables: an event whose attempts have all failed, with no other data. */
const exhausted: Variables = {
  delivery_failed: true,
  provider: '',
  event_type: null,
  account_slug: '',
  app_key: '',
  attempts: scheduledAttempts,
  response_code: null,
};

/** `/admin/conditions`: evaluates a destination's condition without side effects (R24). */
export function conditionRoutes(deps: { database: Database; calls: AdminCalls }) {
  const { database, calls } = deps;
  return new Elysia({ name: 'conditions', prefix: '/conditions' }).post(
    '/check',
    async ({ body, request }) => {
      const { condition: text, event_id, variables: given } = body;
      // The audit log has the event's id but not the condition, which is the operator's free text.
      if (event_id !== undefined) calls.of(request).note({ event_id: event_id.toLowerCase() });
      const parsed = parseCondition(text);
      if (!parsed.ok) throw new Error('the condition was not validated');
      const variables =
        event_id === undefined ? { ...exhausted, ...given } : await readConditionVariables(database, event_id);
      if (!variables) throw new Problem('not_found', 'there is no event with this id');
      return { matches: evaluate(parsed.condition, variables), variables };
    },
    operation('condition.check', {
      role: 'read',
      summary: 'Evaluate a condition',
      description:
        'Evaluates it on the current state of an event (`event_id`), or on `variables`. Changes nothing and sends no notification.',
      body: conditionCheck,
      query: noQuery,
      success: { 200: conditionChecked },
      errors: ['not_found'],
      examples: {
        body: { condition: 'delivery_failed and provider == "generic"', variables: { provider: 'generic' } },
      },
    }),
  );
}
