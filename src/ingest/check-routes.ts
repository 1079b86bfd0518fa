import { Elysia } from 'elysia';
import type { AdminCalls } from '../audit/admin-calls.ts';
import { existingEventId } from '../events/operate-on-event.ts';
import { type CheckAnswer, checkAnswer } from '../events/rejected-schemas.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { type CheckDeps, checkRejected } from './check-rejected.ts';

const auditOf = ({ result, event_id, reason }: CheckAnswer) => ({ result, event_id, reason });

/** `POST /admin/events/rejected/{rejected_id}/check` */
export function checkRoutes(deps: { checks: CheckDeps; calls: AdminCalls }) {
  return new Elysia({ name: 'checks', prefix: '/events/rejected' }).post(
    '/:rejected_id/check',
    async ({ params, request }) => {
      const call = deps.calls.of(request);
      const answer = await checkRejected(deps.checks, existingEventId(params.rejected_id), (sql, made) =>
        call.record(sql, 'event.check', { status: 200, ...auditOf(made) }),
      );
      call.note(auditOf(answer));
      return answer;
    },
    operation('event.check', {
      role: 'operate',
      scope: 'path',
      summary: 'Check a rejected webhook again',
      description:
        'For a webhook that was rejected because of a wrong secret or setting, after that was corrected. Verifies it with the secrets that the account has now, at the time when it came. If it is valid, an event is made of it, which is delivered like any other; the rejected webhook stays. A second check answers with the same event.',
      body: noBody,
      query: noQuery,
      success: { 200: checkAnswer },
      errors: ['not_found', 'not_checkable', 'conflict'],
    }),
  );
}
