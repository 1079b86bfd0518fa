import { isUtf8 } from 'node:buffer';
import type { EventRow } from '../../events/event.ts';
import type { WholeEvent } from '../../events/read.ts';
import { isDeeperThan } from '../nesting.ts';

/** Where Temporal shows the workflow of an event; null when it has none there (any more). */
export interface WorkflowLink {
  id: string;
  run_id: string;
  url: string | null;
}

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** An event as the lists show it (design, section 6). */
export function eventItem(event: EventRow) {
  return {
    id: event.id,
    account_id: event.account_id,
    provider: event.provider,
    account_slug: event.account_slug,
    app_key: event.app_key,
    event_type: event.event_type,
    external_id: event.external_id,
    status: event.status,
    delivery_status: event.delivery_status,
    attempts: event.attempts,
    last_error: event.last_error,
    response_code: event.response_code,
    generation: event.generation,
    received_at: event.received_at.toISOString(),
    delivered_at: iso(event.delivered_at),
    next_attempt_at: iso(event.next_attempt_at),
    rejection_reason: event.rejection_reason,
  };
}

/** One event with its payload, headers, attempts and workflow. */
export function eventDetail(whole: WholeEvent, workflow: WorkflowLink | null) {
  return {
    ...eventItem(whole.event),
    payload: payloadView(whole.body),
    headers: whole.headers,
    delivery_history: whole.history.map((attempt) => ({ ...attempt, started_at: attempt.started_at.toISOString() })),
    notifications: [],
    workflow,
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
