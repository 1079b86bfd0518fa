import { z } from 'zod';
import { consumerCondition } from '../../consumers/condition-variables.ts';
import { time } from '../../http/admin/query-schemas.ts';
import { count } from '../../http/admin/schemas/common.ts';
import { perSecond } from '../bulk/pace.ts';
import { eventItem } from '../event-schemas.ts';

/** Events a second of a backfill, unless the order says otherwise. */
export const defaultPerSecond = 50;

export const backfillOrder = z.strictObject({
  since: time.unwrap().meta({ description: 'Only webhooks received at this time or later' }),
  until: time.meta({ description: 'Only webhooks received before this time. Default: the time of the order' }),
  condition: consumerCondition
    .nullable()
    .optional()
    .meta({ description: 'What the webhooks must meet besides the condition of the consumer' }),
  per_second: perSecond.meta({ description: `The most events made in a second; ${defaultPerSecond} by default` }),
  dry_run: z.boolean().optional().meta({ description: 'Counts the webhooks and changes nothing' }),
});

export const backfillDryRun = z
  .object({
    dry_run: z.literal(true),
    matched: count.meta({ description: 'Webhooks that would become events now' }),
    exact: z.boolean().meta({ description: '`false`: there are more, but counting them would take too long' }),
    events: z.array(eventItem).meta({ description: 'The first events of the oldest 20 of these webhooks' }),
  })
  .meta({ id: 'BackfillDryRun', examples: [{ dry_run: true as const, matched: 0, exact: true, events: [] }] });
