import { useMutation } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { announce } from '../../../components/announce.ts';
import { testAnswer } from '../data/test-answer.ts';
import type { Destination } from './destination-types.ts';

/** Sends a sample message to a destination. */
export const useTestMessage = (accountId: string, { id, name }: Destination) =>
  useMutation({
    mutationFn: () =>
      testAnswer(api.accounts({ account_id: accountId }).destinations({ destination_id: id }).test.post()),
    onSuccess: ({ ok }) =>
      ok ? announce(`${name} accepted the test message.`, 'good') : announce(`${name} did not accept the test.`, 'bad'),
  });

/** What a service answered to a test message. */
export type TestResult = NonNullable<ReturnType<typeof useTestMessage>['data']>;
