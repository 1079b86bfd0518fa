import { answer, api } from '../../../api/client.ts';
import { useAction } from '../../../components/use-action.ts';
import { eventKey } from '../use-event.ts';
import type { EventAction } from './allowed.ts';

const done: Record<EventAction, string> = {
  replay: 'Replay accepted: ten more attempts, the first one now.',
  retry: 'Retry accepted: one attempt now.',
  ack: 'Acknowledged: the event is processed, and its attempts stop.',
  fail: 'Marked failed.',
  dead: 'Marked dead: the attempts stop.',
};

function send(id: string, action: EventAction, reason: string) {
  const event = api.events({ event_id: id });
  const error = reason.trim() === '' ? {} : { error: reason.trim() };
  switch (action) {
    case 'replay':
      return answer(event.replay.post());
    case 'retry':
      return answer(api.delivery.retry({ event_id: id }).post());
    case 'ack':
      return answer(event.ack.post());
    case 'fail':
      return answer(event.fail.post(error));
    case 'dead':
      return answer(event.fail.post({ dead: true, ...error }));
  }
}

/** Acts on an event; then the page reads it again, so that it shows the result. */
export const useEventAction = (id: string) =>
  useAction({
    call: ({ action, reason = '' }: { action: EventAction; reason?: string }) => send(id, action, reason),
    done: ({ action }) => done[action],
    changes: eventKey(id),
  });
