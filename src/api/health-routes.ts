import { Elysia } from 'elysia';
import { z } from 'zod';
import { type ListedBackup, listBackups } from '../backups/backup-rows.ts';
import type { Database } from '../database/database.ts';
import { partitionsAhead } from '../database/partitions.ts';
import { pingDatabase } from '../database/ping.ts';
import { count, flag, text, timestamp } from '../http/admin/schemas/common.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { countProcesses } from '../processes/process-rows.ts';
import type { EngineState } from '../temporal/engine-probe.ts';

/** Backups are made daily, within about an hour of the same time. */
const backupLateMs = 26 * 60 * 60_000;

/**
 * An empty query of a database in the same network takes about 1 ms. Above this, each commit of a webhook, which takes
 * longer, delays the answer to its provider noticeably.
 */
const slowMs = 250;

const milliseconds = z.number().nullable();

const gatewayHealth = z
  .object({
    ok: flag.meta({ description: 'Whether nothing below needs attention' }),
    checked_at: timestamp,
    database: z.object({
      state: z.enum(['ok', 'slow', 'partitions_missing']).meta({
        description: `\`slow\`: two empty queries took longer than ${slowMs} ms each. \`partitions_missing\`: no worker has prepared the tables of tomorrow`,
      }),
      answer_ms: z.number().meta({ description: 'Time of an empty query, the faster of two if the first is slow' }),
      partitions_ahead_days: count.meta({ description: 'Days after today whose tables are prepared' }),
    }),
    temporal: z.object({
      state: z.enum(['ok', 'unavailable', 'no_worker', 'not_configured']).meta({
        description:
          '`no_worker`: for two minutes, no worker has asked for tasks of deliveries. `not_configured`: the process that answers has no `TEMPORAL_ADDRESS`, which is not a fault',
      }),
      answer_ms: milliseconds,
      workers: count
        .nullable()
        .meta({ description: 'Worker processes that have asked for tasks in the last two minutes' }),
    }),
    processes: z.object({
      state: z.enum(['ok', 'no_worker', 'no_delivering_api']).meta({
        description:
          '`no_worker`: retries, notifications and maintenance wait, first attempts are made. `no_delivering_api`: no `api` makes first attempts; the workflows of events make them, which takes longer and is not counted as a fault',
      }),
      workers: count.meta({ description: 'Workers that take deliveries and had a heartbeat within 4 s' }),
      delivering_apis: count.meta({ description: 'The same of each `api` that makes first attempts' }),
    }),
    backups: z.object({
      state: z.enum(['ok', 'failed', 'late', 'none']).meta({
        description:
          '`failed`: the last one failed; `late`: the last success was more than 26 hours ago; `none`: there is none, which is not counted as a fault',
      }),
      last_success_at: timestamp.nullable(),
      running_since: timestamp.nullable(),
      last_failure: z.object({ at: timestamp, error: text.nullable() }).nullable(),
    }),
  })
  .meta({
    id: 'GatewayHealth',
    examples: [
      {
        ok: true,
        checked_at: '2026-11-20T10:00:00.000Z',
        database: { state: 'ok', answer_ms: 1.2, partitions_ahead_days: 7 },
        temporal: { state: 'ok', answer_ms: 3.1, workers: 2 },
        processes: { state: 'ok', workers: 2, delivering_apis: 2 },
        backups: {
          state: 'ok',
          last_success_at: '2026-11-20T02:30:41.000Z',
          running_since: null,
          last_failure: null,
        },
      },
    ],
  });

/** Asks Temporal; null when none is configured for this process. */
export type AskEngineState = (() => Promise<EngineState>) | null;

/** `/admin/health`: whether the parts that the gateway needs are well, for operators. */
export function gatewayHealthRoutes(deps: { database: Database; engineState: AskEngineState }) {
  return new Elysia({ name: 'gateway-health', prefix: '/health' }).get(
    '/',
    async () => {
      const [database, temporal, processes, backups] = await Promise.all([
        databaseHealth(deps.database),
        engineHealth(deps.engineState),
        processHealth(deps.database),
        backupHealth(deps.database),
      ]);
      const ok =
        database.state === 'ok' &&
        (temporal.state === 'ok' || temporal.state === 'not_configured') &&
        processes.state !== 'no_worker' &&
        (backups.state === 'ok' || backups.state === 'none');
      return { ok, checked_at: new Date().toISOString(), database, temporal, processes, backups };
    },
    operation('health.read', {
      role: 'read',
      summary: 'Check database, Temporal, workers and backups',
      description:
        'Takes at most about a second when Temporal does not answer. Without the database it answers 503 `database_unavailable`, like every call; also while the database takes no writes.',
      body: noBody,
      query: noQuery,
      success: { 200: gatewayHealth },
    }),
  );
}

async function databaseHealth({ reader }: Database) {
  const firstMs = await pingMs(reader);
  // One may have waited for a connection, or for a moment of this process.
  const answer_ms = firstMs > slowMs ? Math.min(firstMs, await pingMs(reader)) : firstMs;
  const ahead = await partitionsAhead(reader, new Date());
  const answering = answer_ms > slowMs ? ('slow' as const) : ('ok' as const);
  const state = ahead > 0 ? answering : ('partitions_missing' as const);
  return { state, answer_ms, partitions_ahead_days: ahead };
}

/** How long an empty query takes, rounded to 0.1 ms. */
async function pingMs(reader: Database['reader']): Promise<number> {
  const startedMs = performance.now();
  await pingDatabase(reader);
  return Math.round((performance.now() - startedMs) * 10) / 10;
}

async function engineHealth(ask: AskEngineState) {
  if (ask === null) return { state: 'not_configured' as const, answer_ms: null, workers: null };
  const engine = await ask();
  if (!engine.answers) return { state: 'unavailable' as const, answer_ms: null, workers: null };
  const { answerMs: answer_ms, workers } = engine;
  return { state: workers > 0 ? ('ok' as const) : ('no_worker' as const), answer_ms, workers };
}

async function processHealth({ reader }: Database) {
  const { workers, delivering } = await countProcesses(reader);
  const missing = delivering === 0 ? ('no_delivering_api' as const) : ('ok' as const);
  return { state: workers === 0 ? ('no_worker' as const) : missing, workers, delivering_apis: delivering };
}

async function backupHealth({ reader }: Database) {
  const backups = await listBackups(reader);
  const running = backups.find(({ status }) => status === 'running');
  const success = backups.find(({ status }) => status === 'completed');
  const failure = backups.find(({ status }) => status === 'failed');
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    state: backupState(success, failure),
    last_success_at: success ? iso(endOf(success)) : null,
    running_since: running ? running.created_at.toISOString() : null,
    last_failure: failure ? { at: iso(endOf(failure)), error: failure.error } : null,
  };
}

const endOf = (backup: ListedBackup) => backup.created_at.getTime() + (backup.duration_ms ?? 0);

/** @param success the newest completed backup; `failure`: the newest one that failed */
function backupState(success: ListedBackup | undefined, failure: ListedBackup | undefined) {
  if (failure && (!success || failure.created_at > success.created_at)) return 'failed' as const;
  if (!success) return 'none' as const;
  return Date.now() - endOf(success) > backupLateMs ? ('late' as const) : ('ok' as const);
}
