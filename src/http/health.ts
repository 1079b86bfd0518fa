import { Elysia } from 'elysia';
import type { Sql } from '../database/database.ts';

const ping = { name: 'ping', text: 'select 1 as one' };

/** `/health/live`: the process answers, whatever the method, so that it can also play a consumer in first steps. `/health/ready`: it can take webhooks, so its database answers. */
export function healthRoutes(deps: { sql: Sql }) {
  return new Elysia({ name: 'health', prefix: '/health' })
    .all('/live', () => ({ status: 'ok' }))
    .get('/ready', async () => {
      await deps.sql.query(ping, []);
      return { status: 'ok' };
    });
}
