import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, api } from '../../../api/client.ts';
import type { Filters } from '../../../api/filters.ts';
import { announce } from '../../../components/announce.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { counted, numberText } from '../../../components/number-text.ts';
import { useAction } from '../../../components/use-action.ts';
import styles from './bulk.module.css';
import { type BulkAction, bulkActionNames, bulkActions } from './bulk-actions.ts';
import { jobsKey } from './bulk-jobs.tsx';

/** What a job is ordered for: the selected events, or everything that the filters find. */
export type BulkScope = { ids: readonly string[] } | { filters: Filters };

interface Asked {
  action: BulkAction;
  /** How many events match; not exact where there are too many to count. */
  matched: number;
  exact: boolean;
}

/** The buttons that act on many events, after a question that names how many. */
export function BulkBar({ scope, onOrdered, onClear }: { scope: BulkScope; onOrdered(): void; onClear?: () => void }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const what = 'ids' in scope ? { ids: [...scope.ids] } : { filter: scope.filters as object };
  const count = useMutation({
    mutationFn: async (action: BulkAction) => {
      if ('ids' in scope) return { action, matched: scope.ids.length, exact: true };
      const counted = await answer(api.events.bulk.post({ action, ...what, dry_run: true }));
      if (!('dry_run' in counted)) throw new Error('the gateway has answered a dry run with a job');
      return { action, ...counted };
    },
    onSuccess: setAsked,
    onError: (problem) => announce(problem.message, 'bad'),
  });
  const order = useAction({
    call: (action: BulkAction) => answer(api.events.bulk.post({ action, ...what })),
    done: (action) => `${bulkActions[action].noun} ordered.`,
    changes: jobsKey,
    onDone: onOrdered,
    onEnd: () => setAsked(null),
  });
  const texts = asked && bulkActions[asked.action];
  const number = asked && `${asked.exact ? '' : 'more than '}${counted(asked.matched, 'event')}`;
  return (
    <section className={`line ${styles.bar}`} aria-label="Act on many events">
      <span className={styles.scope}>
        {'ids' in scope ? `${numberText(scope.ids.length)} selected` : 'Everything that the filters find'}
      </span>
      {bulkActionNames.map((action) => (
        <Button
          key={action}
          tone={action === 'dead' ? 'danger' : 'plain'}
          disabled={count.isPending || order.isPending}
          onClick={() => count.mutate(action)}
        >
          {bulkActions[action].label} …
        </Button>
      ))}
      {onClear && (
        <Button tone="quiet" onClick={onClear}>
          Clear selection
        </Button>
      )}
      <ConfirmDialog
        open={asked !== null}
        title={texts ? `${texts.question} ${number}?` : ''}
        confirm={texts ? `${texts.question.replace(':', '')} ${number}` : ''}
        tone={asked?.action === 'dead' ? 'danger' : 'main'}
        busy={order.isPending || asked?.matched === 0}
        onConfirm={() => asked && order.mutate(asked.action)}
        onClose={() => setAsked(null)}
      >
        <p>{texts?.explained}</p>
        <p>A job does it in the background, oldest first. It shows its progress, and can be stopped.</p>
      </ConfirmDialog>
    </section>
  );
}
