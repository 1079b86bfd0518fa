import { z } from 'zod';
import { count, id, text, timestamp } from '../http/admin/schemas/common.ts';

/** Names and values in their order; a name may come several times. */
const headers = z.array(z.tuple([z.string(), z.string()]));

/** An attempt as the history of an event has it. */
export const attempt = z
  .object({
    number: count.meta({ description: 'Starts at 1, and is counted separately for each trigger and generation' }),
    generation: count,
    trigger: z.enum(['schedule', 'manual']),
    started_at: timestamp,
    duration_ms: z.number().meta({ description: 'The whole request, with the rest of the answer' }),
    waited_ms: z.number().nullable().meta({
      description:
        'From when the attempt was due until it began: a slot of the account, the relay, Temporal. `null` for a manual attempt, and for a later one that waited for the end of a pause or for its account',
    }),
    connect_ms: z.number().nullable().meta({
      description:
        'Part of `duration_ms` until the request could be sent: name, TCP and TLS; about 0 on a connection that was kept. `null`: no connection was made',
    }),
    answer_ms: z.number().nullable().meta({
      description: 'Part of `duration_ms` from then until the head of the answer. `null`: there was none',
    }),
    outcome: text.meta({ example: 'http_error' }),
    response_code: z.int().nullable(),
    request_headers: headers.nullable().meta({
      description:
        'What was sent, in its order, except `host`, `connection` and `content-length`. Secrets are `[masked]`; values end with … after 1,024 characters. `null`: nothing was sent, or the headers are not stored, as of a first attempt that succeeds and of attempts before the upgrade to this release',
    }),
    response_headers: headers.nullable().meta({
      description:
        'What the consumer answered, as above. `location` shows only the host. `null`: no answer, or not stored, as above',
    }),
    response_body: text.nullable().meta({ description: 'First 16 KiB of the response' }),
    error: text.nullable(),
    url: text.nullable().meta({ description: 'URL of the request, without credentials and query' }),
  })
  .meta({ id: 'Attempt' });

export type AttemptRecord = z.infer<typeof attempt>;

const summary = z
  .object({
    id,
    events: count.meta({ description: 'Number of events in the summary' }),
    status: z.enum(['pending', 'sent', 'failed']),
    error: text.nullable(),
    sent_at: timestamp.nullable(),
  })
  .meta({ id: 'NotificationSummary', description: 'One message about the events beyond the limit `NOTIFY_BURST`' });

/** The notification of one destination about one exhausted generation of the event. */
export const notification = z
  .object({
    destination_id: id,
    name: text,
    destination_type: text,
    generation: count.meta({
      description: 'Generation that was exhausted; each exhausted generation notifies the destinations',
    }),
    status: z
      .enum(['pending', 'sent', 'failed', 'suppressed'])
      .meta({ description: '`suppressed`: sent as part of the `summary`' }),
    attempts: count.meta({
      description:
        'Number of tries so far, at most five. For a day, those that are answered with `Retry-After` do not count',
    }),
    error: text.nullable().meta({ description: 'Error of the last try' }),
    next_attempt_at: timestamp.nullable(),
    sent_at: timestamp.nullable(),
    summary: summary.nullable(),
  })
  .meta({ id: 'Notification' });

export type NotificationRecord = z.infer<typeof notification>;

/** The workflow of an event in Temporal; `url` is null if no Web UI is configured. */
export const workflow = z
  .object({
    id: text,
    run_id: text,
    url: text.nullable().meta({ description: "Page of the workflow in Temporal's Web UI" }),
  })
  .meta({ id: 'Workflow' });

export type WorkflowLink = z.infer<typeof workflow>;
