import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.ts';
import { eventKey } from '../use-event.ts';
import type { EventAction } from './allowed.ts';

const done: Record<EventAction, string> = {
  replay: 'Replay accepted: the schedule begins again, with an attempt now.',
  retry: 'Retry accepted: one attempt now.',
  ack: 'Acknowledged: the event is processed, and its attempts stop.',
  fail: 'Marked failed.',
  dead: 'Marked dead: the attempts stop.',
};

function send(id: string, action: EventAction, reason: string) {
  const event = api.events({ event_id: id });
  const given = reason.trim() === '' ? null : reason.trim();
  const because = given === null ? {} : { reason: given };
  const error = given === null ? {} : { error: given };
  switch (action) {
    case 'replay':
      return answer(event.replay.post(because));
    case 'retry':
      return answer(api.delivery.retry({ event_id: id }).post(because));
    case 'ack':
      return answer(event.ack.post(because));
    case 'fail':
      return answer(event.fail.post(error));
    case 'dead':
      return answer(event.fail.post({ dead: true, ...error }));
  }
}

/** Acts on an event; then the page reads it again, so that it shows the result. */
export function useEventAction(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ action, reason = '' }: { action: EventAction; reason?: string }) => send(id, action, reason),
    onSettled: () => client.invalidateQueries({ queryKey: eventKey(id) }),
  });
}

/** What has become of the last action, in a sentence for the place where it was pressed. */
export function resultOf({ status, error, variables }: ReturnType<typeof useEventAction>): string | null {
  if (status === 'pending') return 'Sending …';
  if (status === 'error') return error.message;
  return status === 'success' ? done[variables.action] : null;
}
