import { useMutation } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';

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

const textIn = (value: object, name: string): string | null => {
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'string' ? found : null;
};
const numberIn = (value: object, name: string): number | null => {
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'number' ? found : null;
};

/** Sends a signed test event to the consumer of an account. That the consumer refuses it is a result, and no error. */
export const useTestDelivery = (accountId: string) =>
  useMutation({
    async mutationFn(): Promise<TestResult> {
      const call = await api.accounts({ account_id: accountId })['test-delivery'].post();
      const refusal: unknown = call.error?.value;
      if (typeof refusal === 'object' && refusal !== null && textIn(refusal, 'code') === 'delivery_unreachable')
        return { ok: false, url: null, durationMs: null, detail: textIn(refusal, 'detail'), ...answerIn(refusal) };
      const { url, duration_ms, ...rest } = await answer(Promise.resolve(call));
      return { ok: true, url, durationMs: duration_ms, detail: null, ...answerIn(rest) };
    },
  });

const answerIn = (value: object) => ({
  responseCode: numberIn(value, 'response_code'),
  responseBody: textIn(value, 'response_body'),
});
