import { z } from 'zod';
import { count, flag, text, timestamp } from '../http/admin/schemas/common.ts';
import { countedStarts } from './workflow-backlog.ts';

const milliseconds = z.number().nullable();

/** Whether deliveries are paused. */
export const pauseState = z
  .object({
    paused: flag,
    since: timestamp.nullable(),
    reason: text.nullable().meta({ description: 'Reason given when deliveries were paused; `null` if none was given' }),
  })
  .meta({
    id: 'PauseState',
    examples: [{ paused: true, since: '2026-11-20T10:00:00.000Z', reason: 'the shop moves to another data center' }],
  });

/** Aggregated delivery statistics (R64). */
export const deliveryStats = z
  .object({
    paused: z
      .object({ since: timestamp, reason: text.nullable() })
      .nullable()
      .meta({ description: '`null`: deliveries are not paused' }),
    total: count.meta({ description: 'Stored events, without rejected webhooks and those that no consumer gets' }),
    pending: count,
    delivered: count,
    failed: count,
    retrying: count.meta({ description: 'Pending events with at least one failed attempt' }),
    success_rate: z
      .number()
      .nullable()
      .meta({ description: 'Delivered events divided by delivered and failed events, 0 to 1', example: 0.998 }),
    attempts: count,
    recent_attempts: z
      .object({
        minutes: count.meta({ description: 'How many minutes are counted: the present one and those before it' }),
        attempts: count.meta({ description: 'Attempts that were recorded in these minutes' }),
        failed_attempts: count,
        success_rate: z
          .number()
          .nullable()
          .meta({ description: 'The share of them that the consumers accepted, 0 to 1; `null` without attempts' }),
      })
      .meta({ description: 'How deliveries fare now: also attempts of events that are still being retried' }),
    latency_ms: z.object({ p50: milliseconds, p95: milliseconds, p99: milliseconds }).meta({
      description:
        'Time from receipt or replay to delivery, of all deliveries in the last 24 hours, including those of events that were deleted since',
    }),
    by_provider: z.array(z.object({ provider: text, total: count, pending: count, delivered: count, failed: count })),
    by_hour: z.array(z.object({ hour: timestamp, received: count, delivered: count, failed: count })).meta({
      description:
        'Of the last 24 hours by the hour of receipt, oldest first: `received` counts webhooks, the others count events',
    }),
    workflow_starts: z
      .object({
        waiting: count.meta({
          description: `Events whose workflow is to be started and was not started yet, counted up to ${countedStarts.toLocaleString('en')}`,
        }),
        since: timestamp.nullable().meta({
          description: 'Since when the one that waits longest waits; `null`: none waits',
        }),
      })
      .meta({ description: 'Backlog of workflow starts. It delays no first attempts.' }),
    rejected_today: z
      .object({
        received: count.meta({ description: 'All rejected webhooks, stored or not' }),
        kept: count.meta({ description: 'Rejected webhooks that are stored as events' }),
        bytes: count.meta({ description: 'Bytes used by the stored ones, at most `limit_bytes`' }),
        limit_bytes: count.meta({ description: 'Value of `REJECTED_DAILY_BYTES`' }),
        limit_reached: flag.meta({
          description: 'Whether the limit is reached: rejected webhooks are only counted until midnight (UTC)',
        }),
        accounts_at_limit: count.meta({
          description: 'Number of accounts that reached `REJECTED_ACCOUNT_DAILY_BYTES` today',
        }),
      })
      .meta({ description: 'Webhooks that failed verification since midnight (UTC)' }),
    oldest_pending_at: timestamp.nullable().meta({
      description: 'When the oldest pending event was received; `null`: there is none',
    }),
    first_attempt_delay_ms: z
      .object({
        events: count.meta({ description: 'Number of events that were measured' }),
        ...{ p50: milliseconds, p95: milliseconds, p99: milliseconds },
      })
      .meta({
        description:
          'Time from receipt, or from a backfill, to the first attempt, of the newest 1,000 events of the last 24 hours that had one',
      }),
  })
  .meta({
    id: 'DeliveryStats',
    examples: [
      {
        paused: null,
        total: 1000,
        pending: 12,
        delivered: 980,
        failed: 8,
        retrying: 10,
        success_rate: 0.9919,
        attempts: 1040,
        recent_attempts: { minutes: 15, attempts: 80, failed_attempts: 12, success_rate: 0.85 },
        latency_ms: { p50: 14.1, p95: 84.1, p99: 1059.3 },
        by_provider: [{ provider: 'generic', total: 1000, pending: 12, delivered: 980, failed: 8 }],
        by_hour: [{ hour: '2026-11-20T10:00:00.000Z', received: 40, delivered: 39, failed: 0 }],
        workflow_starts: { waiting: 3, since: '2026-11-20T10:42:07.120Z' },
        rejected_today: {
          received: 5000,
          kept: 60,
          bytes: 204800,
          limit_bytes: 268435456,
          limit_reached: false,
          accounts_at_limit: 0,
        },
        oldest_pending_at: '2026-11-20T10:41:12.000Z',
        first_attempt_delay_ms: { events: 1000, p50: 12.1, p95: 40.2, p99: 80.5 },
      },
    ],
  });

export type DeliveryStats = z.infer<typeof deliveryStats>;

/** Counts and latencies over time. */
export const deliverySeriesAnswer = z
  .object({
    from: timestamp,
    to: timestamp.meta({ description: 'End of the last point' }),
    step: text.meta({ description: 'Time between two points', example: '5m' }),
    provider: text.nullable(),
    points: z.array(
      z.object({
        at: timestamp,
        received: count.meta({ description: 'Webhooks received, without rejected ones' }),
        rejected: count.meta({ description: 'Webhooks that failed verification and were stored' }),
        delivered: count.meta({
          description: 'Events that became delivered; an event that is replayed and delivered again counts again',
        }),
        failed: count.meta({ description: 'Events whose delivery became failed' }),
        pending_change: count.meta({ description: 'Pending events at the end less those at the beginning' }),
        attempts: count.nullable().meta({ description: 'Recorded attempts; `null` with a provider' }),
        failed_attempts: count.nullable().meta({ description: 'Those of them that failed; `null` with a provider' }),
        latency_ms: z.object({ p50: milliseconds, p95: milliseconds, p99: milliseconds }).nullable().meta({
          description:
            'Time from receipt or replay to delivery, of the deliveries in this time; `null` with a provider',
        }),
      }),
    ),
  })
  .meta({
    id: 'DeliverySeries',
    examples: [
      {
        from: '2026-11-20T10:00:00.000Z',
        to: '2026-11-20T10:05:00.000Z',
        step: '5m',
        provider: null,
        points: [
          {
            at: '2026-11-20T10:00:00.000Z',
            received: 40,
            rejected: 1,
            delivered: 38,
            failed: 1,
            pending_change: 1,
            attempts: 45,
            failed_attempts: 7,
            latency_ms: { p50: 14.1, p95: 84.1, p99: 1059.3 },
          },
        ],
      },
    ],
  });

/** What happened in the time from `at` until the next point. */
export type SeriesPoint = z.infer<typeof deliverySeriesAnswer>['points'][number];
