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
    if (!(error instanceof ApiProblem) || error.code !== 'delivery_unreachable') throw error;
    return { ok: false, reason: error.detail, ...error.answered };
  }
}

/** Sends a sample message to a destination. */
export const useTestMessage = (accountId: string, { id, name }: Destination) =>
  useMutation({
    mutationFn: () => sendTest(accountId, id),
    onSuccess: ({ ok }) =>
      ok ? announce(`${name} accepted the test message.`, 'good') : announce(`${name} did not accept the test.`, 'bad'),
  });
