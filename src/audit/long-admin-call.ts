import type { AuditAction } from '../http/admin/actions.ts';
import { problemOf } from '../http/errors.ts';
import { type LongCall, longAnswer } from '../http/long-answer.ts';
import type { Log } from '../shared/log.ts';
import type { AdminCalls } from './admin-calls.ts';

/**
 * Answers a long admin call (`longAnswer`). Its audit entry is written when the work has ended, also if the head was sent
 * long before.
 *
 * @param options.run writes the entry of a successful call itself, with `AdminCall.record`
 */
export async function longAdminCall<Result, Progress>(
  deps: { calls: AdminCalls; draining: AbortSignal; log: Log },
  request: Request,
  options: { action: AuditAction; run(call: LongCall<Progress>): Promise<Result> },
): Promise<Response> {
  const { calls, draining, log } = deps;
  const answer = await longAnswer(request, {
    ...{ draining, run: options.run },
    async failed(error) {
      const problem = problemOf(error, 'UNKNOWN', log);
      await calls.failed(request, options.action, { status: problem.status, code: problem.code });
      return problem;
    },
  });
  // By the work, now or when it ends.
  calls.of(request).recordedElsewhere();
  return answer;
}
