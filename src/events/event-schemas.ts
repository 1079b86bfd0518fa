import { z } from 'zod';
import { count, flag, id, text, timestamp } from '../http/admin/schemas/common.ts';
import { rejectionReasons } from '../providers/provider.ts';
import { deliveryStatuses, eventStatuses } from './event.ts';
import { eventExample, itemExample } from './event-examples.ts';
import { attempt, notification, workflow } from './history-schemas.ts';
import { rejectionCheck } from './rejected-schemas.ts';
import { stateFields } from './state-schemas.ts';
import { newestOfEach } from './timeline/most-of-each.ts';
import { eventAction, pauseMet } from './timeline/timeline-schemas.ts';

/** The rejection reasons as a Markdown list, for the API description. */
const reasons = Object.entries(rejectionReasons).map(([reason, meaning]) => `- \`${reason}\`: ${meaning}`);

const item = {
  id,
  request_id: id.meta({
    description: 'The webhook: the id of its first event. Several consumers of an account have an event each',
  }),
  account_id: id,
  provider: text.meta({ example: 'generic' }),
  account_slug: text.meta({ example: 'shop' }),
  consumer: text.meta({ description: 'The name of the consumer', example: 'default' }),
  app_key: text.meta({ example: 'my-app' }),
  event_type: text.nullable().meta({ example: 'order.created' }),
  external_id: text.meta({ example: 'order-4711' }),
  ...stateFields,
  status: z.enum(eventStatuses),
  delivery_status: z
    .enum(deliveryStatuses)
    .nullable()
    .meta({ description: '`null`: the webhook was rejected, or no consumer wants it, so it is never delivered' }),
  attempts: count.meta({ description: 'Attempts of the current generation, scheduled and manual' }),
  last_error: text.nullable(),
  response_code: z.int().nullable(),
  generation: count.meta({ description: '0 at first; each replay adds 1' }),
  received_at: timestamp,
  delivered_at: timestamp.nullable(),
  next_attempt_at: timestamp.nullable(),
  rejection_reason: text.nullable().meta({ description: `Why verification failed.\n\n${reasons.join('\n')}` }),
  rejection_explanation: text.nullable().meta({
    description: 'The same as a sentence, with the numbers of this webhook',
    example: 'Signed 66 min before it came; the limit is 5 min.',
  }),
  skipped_reason: text.nullable().meta({
    description: '`no_consumer_matched`: no consumer of the account wants the webhook. `null`: one does',
  }),
  backfilled_at: timestamp
    .nullable()
    .meta({ description: 'When the event was made of a webhook that was stored before; `null`: with the webhook' }),
  bulk_job_id: id
    .nullable()
    .meta({ description: 'The last bulk job that changed or made the event; `null`: none did' }),
};

/** An event as the lists show it (docs/admin-api.md). */
export const eventItem = z.object(item).meta({ id: 'EventItem', examples: [itemExample] });

const sibling = z
  .object({
    ...{ id, consumer: text, ...stateFields },
    ...{ status: z.enum(eventStatuses), delivery_status: z.enum(deliveryStatuses).nullable() },
  })
  .meta({ id: 'Sibling', description: 'An event of the same webhook for another consumer' });

/** One event with its payload, headers, attempts, notifications and workflow. */
export const event = z
  .object({
    ...item,
    rejection_check: rejectionCheck
      .nullable()
      .meta({ description: 'For a rejected webhook: whether it can be checked again, and what a check has found' }),
    rejected_event_id: id
      .nullable()
      .meta({ description: 'The rejected webhook of which a check has made the event; `null`: it was received so' }),
    siblings: z.array(sibling).meta({ description: 'The other events of the same webhook' }),
    unmatched: z.array(text).meta({ description: 'Names of consumers whose condition the webhook did not meet' }),
    payload: z.unknown().meta({
      description:
        'JSON of at most 500 levels as its parsed value (numbers as double precision holds them; `/payload` has the bytes), other text as a string, other bytes as an object with `base64`. A truncated payload is a string or an object with `base64`',
    }),
    payload_bytes: count.meta({ description: 'Length of the complete body in bytes, as received', example: 41 }),
    payload_sha256: text.meta({
      description: 'SHA-256 of the complete body, in hexadecimal',
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    }),
    payload_truncated: flag.meta({
      description: 'Whether only the first `REJECTED_BODY_BYTES` of the body are stored; rejected webhooks only',
    }),
    headers: z
      .array(z.tuple([text, text]))
      .meta({ description: 'Names and values in the order received; secrets are `[masked]`' }),
    headers_truncated: flag.meta({
      description: 'Whether headers beyond 8 KiB were dropped; rejected webhooks only',
    }),
    delivery_history: z.array(attempt).meta({ description: `The attempts of all generations: ${newestOfEach}` }),
    notifications: z.array(notification).meta({ description: `By generation: ${newestOfEach}` }),
    actions: z.array(eventAction).meta({ description: `What operators did with it, and why: ${newestOfEach}` }),
    pauses: z.array(pauseMet).meta({ description: 'Those during which it was pending, oldest first, at most 1,000' }),
    workflow: workflow.nullable().meta({
      description:
        '`null`: the event needs none (`EVENT_WORKFLOWS=on_retry`), it is not started yet, it is beyond the retention of Temporal, or Temporal is not available',
    }),
  })
  .meta({
    id: 'Event',
    examples: [eventExample],
  });

/** The bytes of a webhook's body. The typed client returns them as an ArrayBuffer. */
export const payloadBytes = z
  .custom<ArrayBuffer>((given) => given instanceof ArrayBuffer)
  .meta({
    description: 'The body as it was received',
    override: { type: 'string', contentMediaType: 'application/octet-stream' },
    examples: ['{"id":"order-4711","type":"order.created"}'],
  });

/** One message of the stream, as the typed client returns it. */
interface StreamedMessage {
  /** Absent in messages that only set `id` or `retry`. */
  event?: string;
  /** The JSON value of the data. */
  data?: unknown;
  id?: unknown;
}

/** A stream of server-sent events. The typed client returns its messages one after another. */
export const eventStream = z
  .custom<AsyncGenerator<StreamedMessage, void, unknown>>((given) => typeof given === 'object')
  .meta({
    description: 'Messages in the format of server-sent events',
    override: { type: 'string' },
    examples: [
      `retry: 2000\n\nevent: ready\ndata: {"resumed":false}\n\nid: 812:812:\n\nevent: event\ndata: ${JSON.stringify(itemExample)}\n\nid: 815:815:\n\n`,
    ],
  });

export const replayed = z
  .object({
    replayed: count,
    left_out: count.meta({
      description:
        'Events that failed and match, and that stay as they are because a person has acknowledged them or declared them dead; counted up to 100,000 and for about 3 s',
    }),
  })
  .meta({ id: 'Replayed', examples: [{ replayed: 42, left_out: 3 }] });

export const filterValues = z
  .object({
    providers: z.array(text),
    event_types: z.array(text),
    account_slugs: z.array(text),
    statuses: z.array(text),
  })
  .meta({
    id: 'FilterValues',
    examples: [
      {
        providers: ['generic'],
        event_types: ['order.created'],
        account_slugs: ['shop'],
        statuses: ['enqueued', 'failed'],
      },
    ],
    description: 'Distinct values in the stored events, sorted, at most 1,000 per field',
  });
