import { Elysia } from 'elysia';
import { z } from 'zod';
import type { AdminCalls } from '../audit/admin-calls.ts';
import type { Database } from '../database/database.ts';
import type { AuditAction } from '../http/admin/actions.ts';
import { noBody, noQuery, operation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import type { Log } from '../shared/log.ts';
import { askEngine } from './ask-engine.ts';
import type { ListedRun, Maintenance, MaintenanceRun, MaintenanceState } from './maintenance.ts';
import { maintenanceRun, maintenanceTask } from './maintenance-schemas.ts';
import { isMaintenanceTaskName, type MaintenanceTaskName, maintenanceTasks } from './tasks.ts';

function view({ name, scheduled, paused, running, lastRun, nextRunAt }: MaintenanceState) {
  const { description, schedule } = maintenanceTasks[name];
  return {
    ...{ name, description, schedule, scheduled, paused, running },
    last_run: lastRun && runView(lastRun),
    next_run_at: nextRunAt?.toISOString() ?? null,
  };
}

function runView<Outcome>({ startedAt, finishedAt, outcome, result, error }: MaintenanceRun<Outcome>) {
  const times = { started_at: startedAt.toISOString(), finished_at: finishedAt?.toISOString() ?? null };
  return { ...times, outcome, result, error };
}

function existingTask(name: string): MaintenanceTaskName {
  if (!isMaintenanceTaskName(name)) throw new Problem('not_found', 'there is no task with this name');
  return name;
}

/** `/admin/upkeep`: the maintenance tasks (docs/maintenance.md). */
export function maintenanceRoutes(deps: {
  database: Database;
  maintenance: Maintenance | null;
  calls: AdminCalls;
  log: Log;
}) {
  const { calls } = deps;
  /**
   * Changes a task in Temporal and returns its new state. The audit entry is written first, in the same transaction. The
   * state is read after it: what was done has its entry also when Temporal is too slow to say how things are now.
   */
  const act = async (
    given: string,
    request: Request,
    { action, status }: { action: AuditAction; status: number },
    work: (maintenance: Maintenance, name: MaintenanceTaskName, actor: string) => Promise<void>,
  ) => {
    const name = existingTask(given);
    const call = calls.of(request);
    await deps.database.transaction(async (sql) => {
      await call.record(sql, action, { status });
      await askEngine(deps, (maintenance) => work(maintenance, name, call.actor));
    });
    return view(await askEngine(deps, (maintenance) => maintenance.read(name)));
  };
  const common = { body: noBody, query: noQuery };
  const errors = ['not_found', 'conflict', 'engine_unavailable'] as const;
  return new Elysia({ name: 'upkeep', prefix: '/upkeep' })
    .get(
      '/',
      async () => (await askEngine(deps, (maintenance) => maintenance.list())).map(view),
      operation('upkeep.list', {
        role: 'read',
        summary: 'List maintenance tasks',
        description: 'Includes the schedule and the last run of each task, as stored in Temporal.',
        ...common,
        success: { 200: z.array(maintenanceTask) },
        errors: ['engine_unavailable'],
      }),
    )
    .get(
      '/:name/runs',
      async ({ params }) => {
        const name = existingTask(params.name);
        const runs: ListedRun[] = await askEngine(deps, (maintenance) => maintenance.runs(name));
        return runs.map(runView);
      },
      operation('upkeep.runs', {
        role: 'read',
        summary: 'List the runs of a maintenance task',
        description:
          'The last ten runs that its schedule started, newest first, with what they did. Temporal keeps the results of closed runs for some days.',
        ...common,
        success: { 200: z.array(maintenanceRun) },
        errors: ['not_found', 'engine_unavailable'],
      }),
    )
    .post(
      '/:name/trigger',
      async ({ params, request, set }) => {
        const entry = { action: 'upkeep.trigger', status: 202 } as const;
        const state = await act(params.name, request, entry, (maintenance, name) => maintenance.trigger(name));
        set.status = 202;
        return state;
      },
      operation('upkeep.trigger', {
        role: 'admin',
        summary: 'Run a maintenance task now',
        description: 'Also works while the task is paused. Has no effect while the task is already running.',
        ...common,
        success: { 202: maintenanceTask },
        answers: 'The run was requested',
        errors,
      }),
    )
    .post(
      '/:name/pause',
      async ({ params, request }) =>
        act(params.name, request, { action: 'upkeep.pause', status: 200 }, (maintenance, name, actor) =>
          maintenance.pause(name, `paused by ${actor}`),
        ),
      operation('upkeep.pause', {
        role: 'admin',
        summary: 'Pause a maintenance task',
        description: 'The task is not started by its schedule until it is resumed. A run in progress continues.',
        ...common,
        success: { 200: maintenanceTask },
        errors,
      }),
    )
    .post(
      '/:name/resume',
      async ({ params, request }) =>
        act(params.name, request, { action: 'upkeep.resume', status: 200 }, (maintenance, name, actor) =>
          maintenance.resume(name, `resumed by ${actor}`),
        ),
      operation('upkeep.resume', {
        role: 'admin',
        summary: 'Resume a maintenance task',
        ...common,
        success: { 200: maintenanceTask },
        errors,
      }),
    );
}
