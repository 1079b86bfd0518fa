import { isUtf8 } from 'node:buffer';
import { eventItem, isoOrNull } from '../../events/event-view.ts';
import type { NotificationRecord, WholeEvent } from '../../events/read.ts';
import { isDeeperThan } from '../nesting.ts';

/** Where Temporal shows the workflow of an event; null when it has none there (any more). */
export interface WorkflowLink {
  id: string;
  run_id: string;
  url: string | null;
}

/** One event with its payload, headers, attempts and workflow. */
export function eventDetail(whole: WholeEvent, workflow: WorkflowLink | null) {
  return {
    ...eventItem(whole.event),
    payload: payloadView(whole.body),
    headers: whole.headers,
    delivery_history: whole.history.map((attempt) => ({ ...attempt, started_at: attempt.started_at.toISOString() })),
    notifications: whole.notifications.map(notificationView),
    workflow,
  };
}

function notificationView(one: NotificationRecord) {
  const { destination_id, name, destination_type, generation, status, attempts, error, summary } = one;
  return {
    ...{ destination_id, name, destination_type, generation, status, attempts, error },
    next_attempt_at: isoOrNull(one.next_attempt_at),
    sent_at: isoOrNull(one.sent_at),
    summary: summary && { ...summary, sent_at: isoOrNull(summary.sent_at) },
  };
}

/** JSON nested deeper is shown as text: serialising recurses, and no parser of a client would take it. */
const shownLevels = 500;

/** The payload as people read it: parsed JSON, else text, else `{base64}`. */
function payloadView(body: Buffer): unknown {
  if (!isUtf8(body)) return { base64: body.toString('base64') };
  const text = body.toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(shownLevels, value) ? text : value;
  } catch {
    return text;
  }
}
