import { Elysia } from 'elysia';
import { z } from 'zod';
import { pingDatabase } from '../database/ping.ts';
import type { Sql } from '../database/sql.ts';
import { publicOperation } from './operation.ts';
import { stoppingProblem } from './stopping.ts';

const ok = {
  200: {
    description: 'OK',
    schema: z.object({ status: z.literal('ok') }).meta({ id: 'Health', examples: [{ status: 'ok' }] }),
  },
};

/**
 * The health checks. `/health/live`: the process responds. It also accepts POST, so that it can act as a consumer
 * (`trialPath`). `/health/ready`: the database takes writes and the process is not about to stop, so it can take webhooks.
 */
export function healthRoutes(deps: { sql: Sql; draining: AbortSignal }) {
  const alive = () => ({ status: 'ok' });
  return new Elysia({ name: 'health', prefix: '/health' })
    .get(
      '/live',
      alive,
      publicOperation({ summary: 'Check that the process responds', tag: 'health', success: ok, errors: ['internal'] }),
    )
    .post('/live', alive, {
      // Deliveries have bodies of any type; they are accepted unread.
      parse: 'none',
      ...publicOperation(
        {
          summary: 'Accept any request, as a consumer in the quick start',
          tag: 'health',
          success: ok,
          errors: ['internal'],
        },
        'bytes',
      ),
    })
    .get(
      '/ready',
      async () => {
        if (deps.draining.aborted) throw stoppingProblem();
        await pingDatabase(deps.sql);
        return { status: 'ok' };
      },
      publicOperation({
        summary: 'Check that the process can accept webhooks',
        description:
          'Checks that the database answers and takes writes. Does not check Temporal, because webhooks are accepted ' +
          'without it. A process that is about to stop answers 503 `stopping`, and still accepts webhooks for the time of `SHUTDOWN_DRAIN`.',
        tag: 'health',
        success: ok,
        errors: ['internal', 'database_unavailable', 'stopping'],
      }),
    );
}
