import { answer, api } from '../../../api/client.ts';
import { useAction } from '../../../components/use-action.ts';
import { accountKey, consumersKey } from '../data/queries.ts';

const one = (accountId: string, consumer: string) => api.accounts({ account_id: accountId }).consumers({ consumer });
/** A reason of one's own, or none. */
const pauseOf = (reason: string) => (reason.trim() === '' ? {} : { reason: reason.trim() });

/** Pauses deliveries to a consumer. */
export const usePauseConsumer = (accountId: string, name: string, onDone: () => void) =>
  useAction({
    call: (reason: string) => answer(one(accountId, name).pause.post(pauseOf(reason))),
    done: () => `Deliveries to ${name} are paused.`,
    changes: consumersKey(accountId),
    onDone,
  });

export const useResumeConsumer = (accountId: string, name: string) =>
  useAction({
    call: () => answer(one(accountId, name).resume.post()),
    done: () => `Deliveries to ${name} are resumed.`,
    changes: consumersKey(accountId),
  });

/** Pauses deliveries to all consumers of an account. */
export const usePauseAccount = (accountId: string, onDone: () => void) =>
  useAction({
    call: (reason: string) => answer(api.accounts({ account_id: accountId }).pause.post(pauseOf(reason))),
    done: () => 'Deliveries of the account are paused.',
    changes: accountKey(accountId),
    onDone,
  });

export const useResumeAccount = (accountId: string) =>
  useAction({
    call: () => answer(api.accounts({ account_id: accountId }).resume.post()),
    done: () => 'Deliveries of the account are resumed.',
    changes: accountKey(accountId),
  });
