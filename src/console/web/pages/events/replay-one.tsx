import { useMutation } from '@tanstack/react-query';
import { answer, api } from '../../api/client.ts';
import type { EventItem } from '../../api/types.ts';
import { announce } from '../../components/announce.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';

/** Asks whether the event of a row is replayed, after `r`. */
export function ReplayOne({ event, onClose }: { event: EventItem | null; onClose(): void }) {
  const replay = useMutation({
    mutationFn: (id: string) => answer(api.events({ event_id: id }).replay.post()),
    onSuccess: () => announce('Replay accepted: the schedule begins again, with an attempt now.', 'good'),
    onError: (problem) => announce(problem.message, 'bad'),
    onSettled: onClose,
  });
  return (
    <ConfirmDialog
      open={event !== null}
      title="Replay this event?"
      confirm="Replay"
      busy={replay.isPending}
      onConfirm={() => event && replay.mutate(event.id)}
      onClose={onClose}
    >
      <p>
        The schedule of <bdi>{event?.event_type ?? event?.external_id}</bdi> of{' '}
        <bdi>
          {event?.provider}/{event?.account_slug}
        </bdi>{' '}
        begins again, with an attempt at once.
        {event?.state === 'acknowledged' && ' A person has acknowledged it.'}
        {event?.state === 'delivered' && ' It was delivered, and is delivered again.'}
      </p>
    </ConfirmDialog>
  );
}
