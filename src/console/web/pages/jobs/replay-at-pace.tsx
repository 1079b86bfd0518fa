import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Filters } from '../../api/filters.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { Notice, ProblemNotice } from '../../components/notice.tsx';
import { PaceField, paceOf } from '../../components/pace-field.tsx';
import { ReasonField } from '../../components/reason-field.tsx';
import { submits } from '../../components/submits.ts';
import { LeftOut } from './left-out.tsx';
import { eventsText, useBulkOrder } from './use-bulk-order.ts';

/** Events a second that a consumer takes that has just recovered, unless the page proposes another number. */
const gentlePerSecond = 10;

interface ReplayAtPaceProps {
  /** The filters of the list whose events are replayed. */
  filter?: Filters;
  /** The events, in place of filters. */
  ids?: readonly string[];
  /** The proposed number a second; null proposes all at once. */
  perSecond?: number | null;
  onOrdered?(job: { id: string }): void;
  onCancel?(): void;
}

/** Replays events by a job with a pace, after it has shown how many. A form for a place in a page. */
export function ReplayAtPace({ perSecond = gentlePerSecond, onOrdered, onCancel, ...selected }: ReplayAtPaceProps) {
  const [pace, setPace] = useState(paceOf(perSecond));
  const [reason, setReason] = useState('');
  const mayOperate = useMay('operate');
  const scope = selected.ids ? { ids: selected.ids } : { filters: selected.filter ?? {} };
  const { count, order } = useBulkOrder(scope, onOrdered ? { ordered: onOrdered } : {});
  const { mutate } = count;
  const key = JSON.stringify(scope);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another selection is counted again
  useEffect(() => mutate('replay'), [mutate, key]);
  if (!mayOperate) return null;
  if (order.data)
    return (
      <Notice tone="good">
        <p>
          The replay is ordered.{' '}
          <Link to="/jobs/$jobId" params={{ jobId: order.data.id }}>
            See how far it is
          </Link>
        </p>
      </Notice>
    );
  const found = count.data;
  const number = found && eventsText(found);
  return (
    <form
      className="stack"
      aria-label="Replay at a pace"
      onSubmit={submits(() => found && order.mutate({ counted: found, pace, reason }))}
    >
      <p aria-live="polite">
        {number ? (
          <>
            <strong>{number}</strong> {found.matched === 1 && found.exact ? 'is' : 'are'} delivered from the start of
            the schedule, oldest first. Delivered ones are delivered again.
          </>
        ) : (
          'Counting …'
        )}
      </p>
      <LeftOut found={found} />
      <PaceField pace={pace} onChange={setPace} />
      <ReasonField place="the timeline of each event" value={reason} onChange={setReason} />
      {count.error && <ProblemNotice error={count.error} retry={() => count.mutate('replay')} />}
      <div className="buttons">
        <Button tone="main" type="submit" blocked={!found || found.matched === 0 || order.isPending}>
          Replay {number ?? 'events'}
        </Button>
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
      </div>
    </form>
  );
}
