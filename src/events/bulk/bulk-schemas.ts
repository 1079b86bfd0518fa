import { z } from 'zod';
import { cursor } from '../../http/admin/query-schemas.ts';
import { count, id, text as shownText, timestamp } from '../../http/admin/schemas/common.ts';
import { text } from '../../shared/text-rules.ts';
import { listFilters } from '../event-filters.ts';
import { bulkActions, bulkStates, jobActions, pacedActions, skipReasons } from './bulk-job.ts';
import { perSecond } from './pace.ts';

/** Ids of one order. A longer list is a filter, or several orders. */
const mostIds = 1_000;

export const bulkFilter = z.strictObject(listFilters);

const eventId = cursor.unwrap();

export const bulkOrder = z
  .strictObject({
    action: z.enum(bulkActions),
    filter: bulkFilter
      .refine((given) => Object.values(given).some((value) => value !== undefined), 'must have at least one filter')
      .optional()
      .meta({ description: 'Which events, by the filters of the list: those that match all of them' }),
    ids: z.array(eventId).min(1).max(mostIds).optional().meta({ description: 'Which events, in place of a filter' }),
    per_second: perSecond.meta({
      description:
        'For `replay` and `retry`: the most events changed in a second. Without it, as fast as the workers can',
    }),
    error: text(2000).nullable().optional().meta({ description: 'For `dead`: the `last_error` of the events' }),
    reason: text(2000).nullable().optional().meta({
      description: 'Why, for the timelines of the events. For `dead`, `error` is the reason',
    }),
    dry_run: z.boolean().optional().meta({ description: 'Counts the events and changes nothing' }),
  })
  .superRefine(({ action, filter, ids, error, reason, per_second }, context) => {
    if (per_second !== undefined && !pacedActions.includes(action))
      context.addIssue({ code: 'custom', path: ['per_second'], message: 'is only for the actions replay and retry' });
    if ((filter === undefined) === (ids === undefined))
      context.addIssue({ code: 'custom', path: ['filter'], message: 'give either a filter or ids' });
    if (error !== undefined && error !== null && action !== 'dead')
      context.addIssue({ code: 'custom', path: ['error'], message: 'is only for the action dead' });
    if (reason !== undefined && reason !== null && action === 'dead')
      context.addIssue({ code: 'custom', path: ['reason'], message: 'is called error for the action dead' });
  });

const example = {
  id: '01a20281-79fb-71bb-9354-28b571c7eeaf',
  action: 'replay' as const,
  filter: { provider: 'generic', delivery_status: 'failed' },
  ids: null,
  state: 'running' as const,
  reason: null,
  total: 1200,
  matched: 400,
  done: 398,
  skipped: { account_deleted: 2 },
  failed: 0,
  ordered_by: 'alice',
  order_reason: 'the consumer was repaired',
  created_at: '2026-11-20T10:00:00.000Z',
  started_at: '2026-11-20T10:00:00.200Z',
  ended_at: null,
  account_id: null,
  consumer: null,
  condition: null,
  per_second: null,
};

export const bulkJob = z
  .object({
    id,
    action: z.enum(jobActions),
    filter: z.record(z.string(), z.string()).nullable().meta({
      description: '`null` if the job has ids. Of a backfill: `since` and `until`',
    }),
    ids: count.nullable().meta({ description: 'Number of given ids; `null` if the job has a filter' }),
    state: z.enum(bulkStates),
    reason: shownText.nullable().meta({ description: 'Why the job was stopped or has failed' }),
    total: count.nullable().meta({
      description: 'Events that matched when the job was ordered; `null` if there were too many to count in time',
    }),
    matched: count.meta({ description: 'Events looked at so far: `done`, `skipped` and `failed` together' }),
    done: count.meta({ description: 'Events that were changed, or made by a backfill' }),
    skipped: z.partialRecord(z.enum(skipReasons), count).meta({
      description: 'Events that were left as they are, by the reason for which the operation on one event is refused',
    }),
    failed: count.meta({ description: 'Events whose change the database refused' }),
    ordered_by: shownText.meta({ description: 'Name of the token' }),
    order_reason: shownText.nullable().meta({ description: 'Why, as the operator wrote it' }),
    created_at: timestamp,
    started_at: timestamp.nullable().meta({ description: 'Time of the first batch' }),
    ended_at: timestamp.nullable(),
    account_id: id
      .nullable()
      .meta({ description: 'Of a backfill: whose webhooks it looks at; `null` for other actions' }),
    consumer: shownText.nullable().meta({ description: 'Of a backfill: the name of the consumer at the order' }),
    condition: shownText.nullable().meta({
      description: 'Of a backfill: what the webhooks must meet besides the condition of the consumer',
    }),
    per_second: count.nullable().meta({
      description: 'The most events changed or made in a second; `null`: as many as the workers can',
    }),
  })
  .meta({ id: 'BulkJob', examples: [example] });

/** What became of the events of a job. */
export const jobResults = z
  .object({
    delivered: count,
    failing: count.meta({ description: 'Attempts have failed, and more follow' }),
    exhausted: count.meta({ description: 'The last attempt has failed; neither acknowledged nor dead since' }),
    waiting: count.meta({
      description: 'For the first attempt since the job changed or made the event, or for the end of a pause',
    }),
    exact: z.boolean().meta({
      description: '`false`: there are more than the counts say. Each goes up to 10,000, and 40,000 events are counted',
    }),
  })
  .meta({ id: 'BulkJobResults', description: 'Of the events that this job was the last to change or make' });

export const bulkJobWithIds = bulkJob
  .extend({
    event_ids: z.array(id).nullable().meta({ description: 'The given ids; `null` if the job has a filter' }),
    waits_for: z.enum(['paused']).nullable().meta({
      description: 'Why the job does nothing now: a pause holds up its next event. `null`: it works, or has ended',
    }),
    results: jobResults,
  })
  .meta({
    id: 'BulkJobWithIds',
    examples: [
      {
        ...{ ...example, event_ids: null, waits_for: null },
        results: { delivered: 380, failing: 11, exhausted: 2, waiting: 5, exact: true },
      },
    ],
  });

export const bulkDryRun = z
  .object({
    dry_run: z.literal(true),
    matched: count.meta({ description: 'Events that match now' }),
    exact: z.boolean().meta({ description: '`false`: there are more, but counting them would take too long' }),
    left_out: count.meta({
      description:
        'Events that the filter finds and the job leaves out, because a person has acknowledged them or declared them dead: name them by `ids`, or by `state` or `status` in the filter. Counted up to 100,000 and for about 3 s',
    }),
  })
  .meta({ id: 'BulkDryRun', examples: [{ dry_run: true as const, matched: 1200, exact: true, left_out: 3 }] });
