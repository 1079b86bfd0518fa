import type { AttemptResult, NotificationRequest } from '../../../workflows/messages.ts';
import type { AskedAttempt } from '../../events/attempt-row.ts';

/** Reads the pending notifications of an exhausted event. */
export type PendingNotifications = (event: {
  eventId: string;
  generation: number;
}) => Promise<Pick<NotificationRequest, 'destinationId' | 'destinationType'>[]>;

/**
 * Adds the pending notifications to the result of an exhausted event, so that its workflow sends them. They may have
 * been recorded by an earlier call whose worker crashed before it could return them.
 */
export async function withNotifications(
  read: PendingNotifications,
  { eventId, generation, trigger }: AskedAttempt,
  result: AttemptResult,
): Promise<AttemptResult> {
  const settled = result.kind === 'stopped' && result.reason === 'already_settled' && trigger === 'schedule';
  if (result.kind !== 'exhausted' && !settled) return result;
  const pending = await read({ eventId, generation });
  const notifications = pending.map(({ destinationId, destinationType }) => ({
    generation,
    destinationId,
    destinationType,
  }));
  if (result.kind === 'exhausted') return { ...result, notifications };
  return notifications.length === 0 ? result : { kind: 'exhausted', attempted: false, endsAs: 'failed', notifications };
}
