import { z } from 'zod';
import { count, flag, id, text, timestamp } from '../../http/admin/schemas/common.ts';

const milliseconds = z.number().nullable();

const counted = {
  attempts: count.meta({ description: 'Attempts that began in this time, scheduled and manual' }),
  failed_attempts: count,
  delivered: count.meta({ description: 'Attempts that the consumer accepted' }),
  exhausted: count.meta({ description: 'Events whose last attempt failed' }),
  duration_ms: z.object({ p50: milliseconds, p95: milliseconds, p99: milliseconds }).meta({
    description: 'Of the attempts; 12 % is the largest error',
  }),
};

/** How a consumer fared in some time. */
export type ConsumerCounted = z.infer<z.ZodObject<typeof counted>>;

const countedExample = {
  attempts: 1200,
  failed_attempts: 310,
  delivered: 890,
  exhausted: 12,
  duration_ms: { p50: 41.2, p95: 900.1, p99: 1500 },
};

const span = {
  from: timestamp,
  to: timestamp.meta({ description: 'End of the present hour' }),
};
const spanExample = { from: '2026-11-19T11:00:00.000Z', to: '2026-11-20T11:00:00.000Z' };

/** How the consumer of one account fares. */
export const consumerHours = z
  .object({
    account_id: id,
    ...span,
    points: z.array(z.object({ at: timestamp.meta({ description: 'Beginning of the hour' }), ...counted })),
  })
  .meta({
    id: 'ConsumerHours',
    examples: [
      {
        account_id: '01a1fb47-2990-7103-bb77-1c90fa89b69e',
        ...spanExample,
        points: [{ at: '2026-11-20T10:00:00.000Z', ...countedExample }],
      },
    ],
  });

const failingAccount = z.object({
  ...{ account_id: id, provider: text, account_slug: text, app_key: text, deleted: flag },
  ...counted,
});
/** An account, which may be deleted, with its counts. */
export type FailingAccount = z.infer<typeof failingAccount>;

/** The accounts that fail most. */
export const failingAccountList = z
  .object({
    ...span,
    accounts: z.array(failingAccount),
  })
  .meta({
    id: 'FailingAccounts',
    examples: [
      {
        ...spanExample,
        accounts: [
          {
            account_id: '01a1fb47-2990-7103-bb77-1c90fa89b69e',
            provider: 'generic',
            account_slug: 'shop',
            app_key: 'my-app',
            deleted: false,
            ...countedExample,
          },
        ],
      },
    ],
  });
