import { useMutation } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';
import { ApiProblem } from '../../../api/problem.ts';

/** What the consumer answered to a test delivery, or why there was no answer. */
export interface TestResult {
  ok: boolean;
  url: string | null;
  responseCode: number | null;
  responseBody: string | null;
  durationMs: number | null;
  /** Why it failed. */
  detail: string | null;
}

/** Sends a signed test event to the consumer of an account. That the consumer refuses it is a result, and no error. */
export const useTestDelivery = (accountId: string) =>
  useMutation({
    async mutationFn(): Promise<TestResult> {
      try {
        const said = await answer(api.accounts({ account_id: accountId })['test-delivery'].post());
        const { url, response_code: responseCode, response_body: responseBody, duration_ms: durationMs } = said;
        return { ok: true, url, responseCode, responseBody, durationMs, detail: null };
      } catch (error) {
        if (!(error instanceof ApiProblem) || error.code !== 'delivery_unreachable') throw error;
        const { detail, answered } = error;
        const { code: responseCode, body: responseBody } = answered;
        return { ok: false, url: null, responseCode, responseBody, durationMs: null, detail };
      }
    },
  });
