import { useMutation } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { testAnswer } from '../data/test-answer.ts';

/** Sends a signed test event to the consumer of an account. */
export const useTestDelivery = (accountId: string) =>
  useMutation({ mutationFn: () => testAnswer(api.accounts({ account_id: accountId })['test-delivery'].post()) });

export type TestResult = NonNullable<ReturnType<typeof useTestDelivery>['data']>;
