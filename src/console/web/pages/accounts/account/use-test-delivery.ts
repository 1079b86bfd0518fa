import { useMutation } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { testAnswer } from '../data/test-answer.ts';

/** Sends a signed test event to a consumer of an account; without a name, to `default`. */
export const useTestDelivery = (accountId: string, consumer?: string) =>
  useMutation({
    mutationFn: () =>
      testAnswer(
        api
          .accounts({ account_id: accountId })
          ['test-delivery'].post(consumer === undefined ? undefined : { consumer }),
      ),
  });

export type TestResult = NonNullable<ReturnType<typeof useTestDelivery>['data']>;
