import { useMutation } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';
import { fromLocalInput } from '../../../components/local-input.ts';
import { useAction } from '../../../components/use-action.ts';
import { jobsKey } from '../../jobs/use-job.ts';
import { conditionOf } from './draft.ts';

/** What stands in the form of a backfill. */
export interface BackfillDraft {
  /** Times of fields in the reader's zone. */
  since: string;
  until: string;
  condition: string;
  perSecond: string;
}

const orderOf = ({ since, until, condition, perSecond }: BackfillDraft) => {
  const end = fromLocalInput(until);
  return {
    since: new Date(since),
    condition: conditionOf(condition),
    ...(end === undefined ? {} : { until: new Date(end) }),
    ...(perSecond.trim() === '' ? {} : { per_second: Number(perSecond) }),
  };
};

/** The calls of a backfill: the count of its webhooks, and the order of its job. */
export function useBackfill(accountId: string, name: string, onOrdered: () => void) {
  const send = (draft: BackfillDraft, dry_run: boolean) =>
    answer(
      api
        .accounts({ account_id: accountId })
        .consumers({ consumer: name })
        .backfill.post({ ...orderOf(draft), dry_run }),
    );
  const count = useMutation({
    mutationFn: async (draft: BackfillDraft) => {
      const counted = await send(draft, true);
      if (!('dry_run' in counted)) throw new Error('the gateway has answered a dry run with a job');
      return counted;
    },
  });
  const order = useAction({
    call: (draft: BackfillDraft) => send(draft, false),
    done: () => `The backfill of ${name} is ordered.`,
    changes: jobsKey,
    onDone: onOrdered,
  });
  return { count, order };
}
