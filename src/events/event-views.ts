import { hash } from 'node:crypto';
import { parseWithinBounds, webhookBounds } from '../shared/bounded-json.ts';
import { eventItem, stateView } from './event-view.ts';
import type { WorkflowLink } from './history-schemas.ts';
import type { SiblingRow, WholeEvent } from './read.ts';
import { notCheckable, whyNotCheckable } from './rejection-checks.ts';

/** One event with its payload, headers, attempts and workflow. */
export function eventDetail(whole: WholeEvent, workflow: WorkflowLink | null) {
  return {
    ...eventItem(whole.event),
    ...{ siblings: whole.siblings.map(siblingView), unmatched: whole.unmatched ?? [] },
    rejection_check: rejectionCheckView(whole),
    rejected_event_id: whole.rejectedEventId,
    payload: payloadView(whole),
    payload_bytes: whole.payloadBytes,
    payload_sha256: whole.payloadSha256?.toString('hex') ?? hash('sha256', whole.body, 'hex'),
    payload_truncated: isTruncated(whole),
    headers: whole.headers,
    headers_truncated: whole.headersTruncated,
    delivery_history: whole.history,
    notifications: whole.notifications,
    ...{ actions: whole.actions, pauses: whole.pauses },
    workflow,
  };
}

function rejectionCheckView({ event, checked, ...kept }: WholeEvent) {
  if (event.rejection_reason === null) return null;
  const why = whyNotCheckable({ ...kept, provider: event.provider });
  return {
    ...{ not_checkable: why, explanation: why && notCheckable[why] },
    ...(checked ?? { event_id: null, checked_at: null }),
  };
}

const siblingView = ({ id, consumer, status, delivery_status, ...parts }: SiblingRow) => ({
  ...{ id, consumer, status, delivery_status },
  ...stateView({ status, delivery_status, ...parts }),
});

const isTruncated = ({ body, payloadBytes }: Pick<WholeEvent, 'body' | 'payloadBytes'>) => payloadBytes > body.length;

/**
 * The payload in its most readable form: parsed JSON, else text, else `{base64}`. A truncated body is never parsed,
 * because its beginning may be valid JSON with another meaning.
 */
function payloadView(whole: Pick<WholeEvent, 'body' | 'payloadBytes'>): unknown {
  const text = textOf(whole);
  if (text === null) return { base64: whole.body.toString('base64') };
  if (isTruncated(whole)) return text;
  const value = parseWithinBounds(text, webhookBounds);
  return value === undefined ? text : value;
}

/** The body as text; null if it is not UTF-8. A character that truncation has cut at the end is left out. */
function textOf(whole: Pick<WholeEvent, 'body' | 'payloadBytes'>): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(whole.body, {
      stream: isTruncated(whole),
    });
  } catch {
    return null;
  }
}
