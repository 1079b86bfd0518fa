import { useState } from 'react';
import { announce } from '../../../components/announce.ts';
import { Button } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { numberText } from '../../../components/number-text.ts';
import { PaceField, paceOf } from '../../../components/pace-field.tsx';
import { ReasonField } from '../../../components/reason-field.tsx';
import { LeftOut } from '../../jobs/left-out.tsx';
import { type BulkScope, type Counted, eventsText, useBulkOrder } from '../../jobs/use-bulk-order.ts';
import styles from './bulk.module.css';
import { bulkActionNames, bulkActions, isPaced } from './bulk-actions.ts';

/** The buttons that act on many events, after a question that names how many. */
export function BulkBar({ scope, onOrdered, onClear }: { scope: BulkScope; onOrdered(): void; onClear?: () => void }) {
  const [asked, setAsked] = useState<Counted | null>(null);
  const [pace, setPace] = useState(paceOf(null));
  const [reason, setReason] = useState('');
  const { count, order } = useBulkOrder(scope, {
    counted(found) {
      setPace(paceOf(null));
      setAsked(found);
    },
    ordered() {
      setReason('');
      onOrdered();
    },
    end: () => setAsked(null),
  });
  const ask = { onError: (problem: Error) => announce(problem.message, 'bad') };
  const texts = asked && bulkActions[asked.action];
  const number = asked && eventsText(asked);
  // The events of a question may leave the list while it is open.
  if (asked === null && 'ids' in scope && scope.ids.length === 0) return null;
  return (
    <section className={`line ${styles.bar}`} aria-label="Act on many events">
      <span className={styles.scope}>
        {'ids' in scope ? `${numberText(scope.ids.length)} selected` : 'Everything that the filters find'}
      </span>
      {bulkActionNames.map((action) => (
        <Button
          key={action}
          tone={action === 'dead' ? 'danger' : 'plain'}
          blocked={count.isPending || order.isPending}
          onClick={() => count.mutate(action, ask)}
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
        busy={order.isPending}
        canConfirm={asked?.matched !== 0}
        onConfirm={() => asked && order.mutate({ counted: asked, pace, reason })}
        onClose={() => setAsked(null)}
      >
        <p>{texts?.explained}</p>
        <LeftOut found={asked} />
        {asked && isPaced(asked.action) && <PaceField pace={pace} onChange={setPace} />}
        <p>A job does it in the background, oldest first. It shows its progress, and can be stopped.</p>
        <ReasonField place="the timeline of each event" value={reason} onChange={setReason} />
      </ConfirmDialog>
    </section>
  );
}
