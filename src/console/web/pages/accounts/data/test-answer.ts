import { answer } from '../../../api/client.ts';
import { ApiProblem } from '../../../api/problem.ts';

/** What a consumer or a service answered to a test. That it refuses the test is a result, and no error. */
export type TestAnswer<Accepted> =
  | ({ ok: true } & Accepted)
  | { ok: false; reason: string; step: string | null; response_code: number | null; response_body: string | null };

/** The result of a call that sends a test. */
export async function testAnswer<Accepted>(
  call: Parameters<typeof answer<Accepted>>[0],
): Promise<TestAnswer<NonNullable<Accepted>>> {
  try {
    return { ok: true, ...(await answer(call)) };
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'delivery_unreachable') throw error;
    const { code: response_code, body: response_body } = error.answered;
    return { ok: false, reason: error.detail, step: error.step, response_code, response_body };
  }
}
