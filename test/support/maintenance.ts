import type { MaintenanceTaskName } from '../../src/maintenance/tasks.ts';
import type { Answer } from './admin-client.ts';
import type { TestGateway } from './gateway.ts';
import { openClient } from './one-connection.ts';
import { ownLocks } from './own-locks.ts';
import { until } from './until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests check the fields of answers
type Json = any;

/** Whether Temporal exceeded the time limit of a request, as it may when many tests share one server. */
export const isEngineLate = ({ status, body }: { status: number; body: Json }) =>
  status === 503 && body?.code === 'engine_unavailable';

/** Sends a maintenance request, and repeats it while Temporal exceeds the time limit. */
export function askMaintenance(gateway: Pick<TestGateway, 'admin'>, method: string, path: string): Promise<Answer> {
  return until('Temporal answers in time', async () => {
    const answer = await gateway.admin.request(method, path);
    return !isEngineLate(answer) && answer;
  });
}

/** A maintenance task as `GET /admin/upkeep` shows it. */
export async function taskOf(gateway: Pick<TestGateway, 'admin'>, name: MaintenanceTaskName): Promise<Json> {
  const { status, body } = await askMaintenance(gateway, 'GET', '/admin/upkeep');
  if (status !== 200) throw new Error(`no upkeep: ${JSON.stringify(body)}`);
  return body.find((task: Json) => task.name === name);
}

/** Waits until the task is scheduled. */
export function scheduled(gateway: Pick<TestGateway, 'admin'>, name: MaintenanceTaskName): Promise<Json> {
  return until(`${name} is scheduled`, async () => {
    const task = await taskOf(gateway, name);
    return task.scheduled && task;
  });
}

/** Triggers a task and waits until a run that started after that has ended. */
export async function triggered(
  gateway: Pick<TestGateway, 'admin'>,
  name: MaintenanceTaskName,
  limitMs?: number,
): Promise<Json> {
  // Temporal skips a trigger during a run, whose end would then be taken for that of a new one.
  const before = await until(`${name} is scheduled, and does not run`, async () => {
    const task = await taskOf(gateway, name);
    return task.scheduled && !task.running && task;
  });
  const answer = await askMaintenance(gateway, 'POST', `/admin/upkeep/${name}/trigger`);
  if (answer.status !== 202) throw new Error(`not triggered: ${JSON.stringify(answer.body)}`);
  return until(
    `${name} has run`,
    async () => {
      const task = await taskOf(gateway, name);
      return (
        !task.running && task.last_run !== null && task.last_run.started_at !== before.last_run?.started_at && task
      );
    },
    limitMs,
  );
}

/** A backup as `GET /admin/backups` shows it. */
export async function backupsOf(gateway: Pick<TestGateway, 'admin'>): Promise<Json[]> {
  const { status, body } = await gateway.admin.request('GET', '/admin/backups');
  if (status !== 200) throw new Error(`no backups: ${JSON.stringify(body)}`);
  return body;
}

/** Waits until the backup has ended. */
export function backupEnded(gateway: Pick<TestGateway, 'admin'>, id: string, limitMs?: number): Promise<Json> {
  const ended = async () => {
    const found = (await backupsOf(gateway)).find((backup) => backup.id === id);
    return found && found.status !== 'running' && found;
  };
  return until('the backup has ended', ended, limitMs);
}

/** The action and details of the audit entries whose action starts with `prefix`. */
export async function actionsOf(gateway: Pick<TestGateway, 'admin'>, prefix: string): Promise<[string, Json][]> {
  const { body } = await gateway.admin.request('GET', '/admin/audit-logs?limit=1000');
  return body
    .filter(({ action }: Json) => action.startsWith(prefix))
    .map(({ action, details }: Json) => [action, details]);
}

/** Locks a table that every backup reads, so that backups wait until `release` is called. */
export async function holdBackups(databaseUrl: string) {
  const client = await openClient(databaseUrl);
  await client.query('begin');
  await client.query('lock table accounts in access exclusive mode');
  return {
    /** Waits until a backup waits for the lock. */
    arrived: () =>
      until('a backup waits for the table', async () => {
        const { rows } = await client.query(
          `select 1 from ${ownLocks} where relation = 'accounts'::regclass and not granted`,
        );
        return rows.length > 0;
      }),
    /** Releases the lock. Further calls do nothing. */
    async release() {
      await client.end();
    },
  };
}
