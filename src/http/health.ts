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
      publicOperation({ summary: 'Whether the process answers', tag: 'health', success: ok, errors: ['internal'] }),
    )
    .post('/live', alive, {
      // Deliveries have bodies of any type; they are accepted unread.
      parse: 'none',
      ...publicOperation(
        { summary: 'Play a consumer in first steps', tag: 'health', success: ok, errors: ['internal'] },
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
        summary: 'Whether it can take webhooks',
        description: 'The database answers. Temporal is not asked: webhooks are taken without it.',
        tag: 'health',
        success: ok,
        errors: ['internal', 'database_unavailable'],
      }),
    );
}
