import { inspect } from 'node:util';
import type { Role } from '../config/config.ts';
import { explainDatabaseError } from '../database/explain-error.ts';
import { ProgramError, StartError } from '../shared/start-error.ts';
import { startTracing } from '../telemetry/tracing/start-tracing.ts';
import type { RoleContext } from './role-context.ts';
import { untilStopped } from './until-stopped.ts';

/**
 * The roles, each loaded only when it runs. The Temporal worker and the HTTP side take a second of CPU time to load,
 * and most roles need only one of them.
 */
const run: Record<Role, (context: RoleContext) => Promise<void>> = {
  all: async (context) => (await import('./all.ts')).runAll(context),
  api: async (context) => (await import('./api.ts')).runApi(context),
  worker: async (context) => (await import('./worker.ts')).runWorker(context),
  promote: async (context) => (await import('./promote.ts')).runPromote(context),
  migrate: async (context) => (await import('./migrate.ts')).runMigrate(context),
  restore: async (context) => (await import('./restore.ts')).runRestore(context),
  reseal: async (context) => (await import('./reseal.ts')).runReseal(context),
  'backup-sql': async (context) => (await import('./backup-sql.ts')).runBackupSql(context),
};

/**
 * Runs a role until it is done or asked to stop.
 *
 * @throws StartError with an explanation when the database of `DATABASE_URL` cannot be used.
 */
export async function runRole(role: Role, context: RoleContext): Promise<void> {
  const { databaseUrl, tracing } = context.config;
  const traced = await startTracing(isTraced(role) ? tracing : null, { role, log: context.log });
  try {
    await (endsInOrder(role) ? run[role](context) : Promise.race([run[role](context), interrupted(context.stopped)]));
  } catch (error) {
    // The user knows nothing of the database that `npm start` has made.
    const isOwn = databaseUrl === null || context.config.startedBy?.generated.includes('DATABASE_URL');
    throw isOwn ? error : explainDatabaseError(databaseUrl, error);
  } finally {
    await traced.stop();
  }
}

/**
 * Whether a role ends what it has begun when it is asked to stop. The others end at once: PostgreSQL rolls back the
 * transaction in progress, and what was committed stays.
 */
const endsInOrder = (role: Role) => role === 'all' || role === 'api' || role === 'worker' || role === 'reseal';

/** @throws StartError when the process is asked to stop. */
async function interrupted(stopped: AbortSignal): Promise<never> {
  await untilStopped(stopped);
  throw new StartError('Interrupted. What was committed before stays. Run the command again.');
}

/** The others run once, for an operator, or only watch these two. */
const isTraced = (role: Role) => role === 'api' || role === 'worker';

/** What the terminal shows when a role fails: a sentence where the user can do something, else the error with its stack. */
export function failureText(error: unknown): string {
  if (error instanceof ProgramError) return error.message;
  return error instanceof StartError ? `\n${error.message}\n` : inspect(error);
}
