import type { EventItem } from '../../../api/types.ts';

export type EventAction = 'replay' | 'retry' | 'ack' | 'fail' | 'dead';

/** The actions that the API accepts in the state of an event and that change something (docs/concepts.md, All changes). */
export function allowedActions({
  state,
  status,
  delivery_status,
}: Pick<EventItem, 'state' | 'status' | 'delivery_status'>): EventAction[] {
  const isDeliverable = delivery_status !== null && state !== 'ended';
  const allowed: Record<EventAction, boolean> = {
    replay: isDeliverable,
    retry: isDeliverable && delivery_status !== 'delivered' && status !== 'dead',
    ack: status !== 'processed',
    fail: status !== 'failed' || state === 'exhausted',
    dead: status !== 'dead',
  };
  return (Object.keys(allowed) as EventAction[]).filter((action) => allowed[action]);
}
