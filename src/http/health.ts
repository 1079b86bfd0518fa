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

/** `/health/live`: the process answers, to POST too, so that it can play a consumer in first steps. `/health/ready`: it can take webhooks, so its database answers. */
export function healthRoutes(deps: { sql: Sql }) {
  const alive = () => ({ status: 'ok' });
  return new Elysia({ name: 'health', prefix: '/health' })
    .get(
      '/live',
      alive,
      publicOperation({ summary: 'Whether the process answers', tag: 'health', success: ok, errors: ['internal'] }),
    )
    .post('/live', alive, {
      // Whatever a delivery holds is taken, unread.
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
