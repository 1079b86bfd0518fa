import { z } from 'zod';
import { count, flag, id, text, timestamp } from '../http/admin/schemas/common.ts';
import { notCheckable } from './rejection-checks.ts';

const eventOfWebhook = id.nullable().meta({ description: 'The first event of the webhook' });

/** What `POST /admin/events/rejected/{rejected_id}/check` answers. */
export const checkAnswer = z
  .object({
    result: z.enum(['accepted', 'already_accepted', 'rejected']).meta({
      description:
        '`accepted`: an event was made of the webhook. `already_accepted`: an earlier check has made it, or the same webhook was accepted since. `rejected`: it is still not valid',
    }),
    event_id: eventOfWebhook,
    reason: text.nullable().meta({ description: 'The `rejection_reason`, if it is still not valid' }),
    explanation: text,
  })
  .meta({
    id: 'RejectionCheck',
    examples: [
      {
        result: 'accepted',
        event_id: '01a1fb5c-32dd-7658-a59f-f1f2e11f4782',
        reason: null,
        explanation: 'The signature is valid. The webhook is an event now, and is delivered.',
      },
    ],
  });

export type CheckAnswer = z.infer<typeof checkAnswer>;

const reasons = Object.entries(notCheckable).map(([code, meaning]) => `- \`${code}\`: ${meaning}`);

/** Whether a rejected webhook can be checked again, and what a check has found. */
export const rejectionCheck = z
  .object({
    not_checkable: text.nullable().meta({
      description: `Why the webhook cannot be checked again; \`null\`: it can.\n\n${reasons.join('\n')}`,
    }),
    explanation: text.nullable().meta({ description: 'The same as a sentence' }),
    event_id: eventOfWebhook.meta({ description: 'The event that a check has made or found; `null`: none has' }),
    checked_at: timestamp.nullable(),
  })
  .meta({
    examples: [{ not_checkable: null, explanation: null, event_id: null, checked_at: null }],
  });

/** What `GET /admin/events/rejected` answers. */
export const rejectedCounts = z
  .object({
    counted: count.meta({ description: 'Kept rejected webhooks that match, the newest first' }),
    complete: flag.meta({
      description: '`false`: there may be more, because 100,000 were counted or 3 s have passed',
    }),
    groups: z
      .array(
        z.object({
          ...{ account_id: id, provider: text, account_slug: text, reason: text },
          explanation: text.meta({ description: 'The reason of the newest one as a sentence' }),
          count,
          not_checkable: text.nullable().meta({
            description:
              'Why webhooks of this provider cannot be checked again; `null`: those that were kept whole can',
          }),
          not_checkable_explanation: text.nullable().meta({ description: 'The same as a sentence' }),
          last_received_at: timestamp,
          last_event_id: id,
        }),
      )
      .meta({ description: 'By account and reason, the largest ones first, at most 200' }),
  })
  .meta({
    id: 'RejectedCounts',
    examples: [
      {
        ...{ counted: 12, complete: true },
        groups: [
          {
            ...{ account_id: '01a1fb47-2990-7103-bb77-1c90fa89b69e', provider: 'stripe', account_slug: 'shop' },
            ...{ reason: 'stale_timestamp', explanation: 'Signed 66 min before it came; the limit is 5 min.' },
            ...{ count: 12, not_checkable: null, not_checkable_explanation: null },
            last_received_at: '2026-11-20T10:00:00.000Z',
            last_event_id: '01a1fb5c-32dd-7658-a59f-f1f2e11f4782',
          },
        ],
      },
    ],
  });

export type RejectedCounts = z.infer<typeof rejectedCounts>;
