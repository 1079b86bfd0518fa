import { useMutation } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';
import { ApiProblem } from '../../../api/problem.ts';
import { announce } from '../../../components/announce.ts';
import type { Destination, TestAnswer } from './destination-types.ts';

/** What a service answered to a test message. */
export type TestResult =
  | { ok: true; answer: TestAnswer }
  | { ok: false; reason: string; code: number | null; body: string | null };

async function sendTest(accountId: string, id: string): Promise<TestResult> {
  const call = api.accounts({ account_id: accountId }).destinations({ destination_id: id }).test.post();
  try {
    return { ok: true, answer: await answer(call) };
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.title !== 'The test message was not accepted') throw error;
    const { error: refused } = await call;
    return { ok: false, reason: error.detail, ...answeredBy(refused?.value) };
  }
}

/** The answer of the service in the problem, if it gave one. */
function answeredBy(problem: unknown): { code: number | null; body: string | null } {
  if (typeof problem !== 'object' || problem === null) return { code: null, body: null };
  const code = 'response_code' in problem && typeof problem.response_code === 'number' ? problem.response_code : null;
  const body = 'response_body' in problem && typeof problem.response_body === 'string' ? problem.response_body : null;
  return { code, body };
}

/** Sends a sample message to a destination. */
export const useTestMessage = (accountId: string, { id, name }: Destination) =>
  useMutation({
    mutationFn: () => sendTest(accountId, id),
    onSuccess: ({ ok }) =>
      ok ? announce(`${name} accepted the test message.`, 'good') : announce(`${name} did not accept the test.`, 'bad'),
  });
