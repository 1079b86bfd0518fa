import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { announce } from './announce.ts';

/**
 * A call that changes something. Its success and its problem are announced, and then the queries that it changes are
 * read again.
 */
export function useAction<Answer, Given = void>(options: {
  call(given: Given): Promise<Answer>;
  /** What the announcement of its success says. */
  done(given: Given): string;
  changes: QueryKey;
  onDone?(): void;
  onEnd?(): void;
}) {
  const { call, done, changes, onDone, onEnd } = options;
  const client = useQueryClient();
  return useMutation({
    mutationFn: call,
    onSuccess(_, given) {
      announce(done(given), 'good');
      onDone?.();
    },
    onError: (problem) => announce(problem.message, 'bad'),
    onSettled() {
      onEnd?.();
      // Not awaited: a dialog that waits for the call would wait for this one, too, which fails in an outage.
      void client.invalidateQueries({ queryKey: changes });
    },
  });
}
