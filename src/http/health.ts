import { Elysia } from 'elysia';
import { z } from 'zod';
import type { Sql } from '../database/sql.ts';
import { publicOperation } from './operation.ts';

const ping = { name: 'ping', text: 'select 1 as one' };

const ok = {
  200: {
    description: 'OK',
    schema: z.object({ status: z.literal('ok') }).meta({ id: 'Health', examples: [{ status: 'ok' }] }),
  },
};

/**
 * The health checks. `/health/live`: the process responds. It also accepts POST, so that it can act as a consumer in
 * the quick start. `/health/ready`: the database responds, so the process can take webhooks.
 */
export function healthRoutes(deps: { sql: Sql }) {
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
        await deps.sql.query(ping, []);
        return { status: 'ok' };
      },
      publicOperation({
        summary: 'Check that the process can accept webhooks',
        description: 'Checks the database. Does not check Temporal, because webhooks are accepted without it.',
        tag: 'health',
        success: ok,
        errors: ['internal', 'database_unavailable'],
      }),
    );
}
