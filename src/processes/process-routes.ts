import { Elysia } from 'elysia';
import { z } from 'zod';
import type { Sql } from '../database/sql.ts';
import { flag, text, timestamp } from '../http/admin/schemas/common.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { type ListedProcess, listProcesses } from './process-rows.ts';

const listed = z
  .object({
    id: text.meta({ description: 'Given to the process at its start. It is the token of its claims' }),
    role: z.enum(['api', 'worker']),
    host: text.meta({ description: 'Name of the machine or container' }),
    pid: z.int(),
    version: text,
    makes_first_attempts: flag.meta({
      description: 'Of an `api`, `false` with API_DELIVERS=false; of a `worker`, always `false`',
    }),
    first_attempts_per_s: z.number().meta({ description: 'First attempts that it began in the last second' }),
    started_at: timestamp,
    last_seen_at: timestamp.meta({ description: 'The last heartbeat; a living process has one each second' }),
    alive: flag.meta({ description: '`false` for some seconds after its last heartbeat; then it is no longer listed' }),
  })
  .meta({
    id: 'Process',
    examples: [
      {
        id: '0a7f5c1e-3b1d-4c1e-9a55-0d6f0c3f2b10',
        role: 'api',
        host: 'gateway-1',
        pid: 4242,
        version: '0.3.0',
        makes_first_attempts: true,
        first_attempts_per_s: 42.5,
        started_at: '2026-11-20T03:10:41.000Z',
        last_seen_at: '2026-11-20T09:00:00.000Z',
        alive: true,
      },
    ],
  });

const view = (row: ListedProcess) => ({
  ...row,
  first_attempts_per_s: Math.round(row.first_attempts_per_s * 10) / 10,
  started_at: row.started_at.toISOString(),
  last_seen_at: row.last_seen_at.toISOString(),
});

/** `/admin/processes`: the processes of the gateway. */
export function processRoutes({ database }: { database: { reader: Sql } }) {
  return new Elysia({ name: 'processes', prefix: '/processes' }).get(
    '/',
    async () => (await listProcesses(database.reader)).map(view),
    operation('process.list', {
      role: 'read',
      summary: 'List the processes of the gateway',
      description: 'Each `api`, and each `worker` that takes deliveries, as its heartbeats tell.',
      body: noBody,
      query: noQuery,
      success: { 200: z.array(listed) },
    }),
  );
}
