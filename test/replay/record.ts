import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { maintenanceTaskNames } from '../../src/maintenance/tasks.ts';
import { adminToken, startGatewayProcess, temporaryFolder, temporaryTemporal } from '../bench/processes.ts';
import { adminClient, send } from '../support/admin-client.ts';
import { type Reply, startConsumer } from '../support/consumer.ts';
import { triggered } from '../support/maintenance.ts';

/**
 * `npm run record-histories`: runs a real gateway and stores the histories of its workflows, with which test/replay checks
 * that the present workflow code can still replay them. Record again only when code behind a patch marker changes.
 * Arguments select histories by the beginning of their names: `npm run record-histories -- replay`.
 */
const only = process.argv.slice(2);
const wanted = (name: string) => only.length === 0 || only.some((beginning) => name.startsWith(beginning));
const folder = fileURLToPath(new URL('histories/', import.meta.url));
const workdir = await temporaryFolder();
const temporal = await temporaryTemporal(28235);
const gateway = await startGatewayProcess('all', {
  DATA_DIR: workdir.path,
  TEMPORAL_ADDRESS: temporal.address,
  API_DELIVERS: 'false',
  DELIVERY_SCHEDULE: Array(9).fill('1s').join(),
});
const admin = adminClient(gateway.baseUrl, adminToken);
const settled = ({ status }: { status: string }) => status !== 'pending';
const ended = (event: { delivery_status: string }) => event.delivery_status !== 'pending';

interface Scenario {
  replies: Reply[];
  /** The answers of the account's destinations, for each destination in order. */
  destinations?: Reply[][];
  act?(id: string): Promise<unknown>;
}

const attempted = (id: string, attempts: number) =>
  admin.eventually(id, (event) => event.attempts >= attempts && event.status === 'enqueued');

const scenarios: Record<string, Scenario> = {
  'first-try': { replies: [200] },
  // The search attributes say how a delivery ended, also without a failed attempt. In histories without `shown-` they
  // do not.
  'shown-first-try': { replies: [200] },
  'shown-retry': {
    replies: [...Array(10).fill(500), 200],
    act: async (id) => {
      await admin.eventually(id, ended);
      await sleep(500);
      await admin.post(`/admin/delivery/retry/${id}`);
      await admin.eventually(id, (event) => event.delivery_status === 'delivered');
    },
  },
  exhausted: { replies: [500] },
  'own-queue-told': { replies: [500], destinations: [[200], [503, 200]] },
  'replay-while-telling': {
    replies: [...Array(10).fill(500), 200],
    destinations: [[503, 503, 200]],
    act: async (id) => {
      await admin.eventually(id, (event) => event.notifications[0]?.attempts === 2);
      await admin.post(`/admin/events/${id}/replay`);
      await admin.eventually(id, (event) => event.delivery_status === 'delivered');
    },
  },
  'retry-while-waiting': {
    replies: [500, 500, 200],
    act: async (id) => {
      await attempted(id, 1);
      await admin.post(`/admin/delivery/retry/${id}`);
    },
  },
  'retry-after-end': {
    replies: [200, 200],
    act: async (id) => {
      await admin.eventually(id, ended);
      await sleep(500);
      await admin.post(`/admin/delivery/retry/${id}`);
      await admin.eventually(id, (event) => event.attempts === 2);
    },
  },
  'replay-while-waiting': {
    replies: [500, 500, 200],
    act: async (id) => {
      await attempted(id, 2);
      await admin.post(`/admin/events/${id}/replay`);
    },
  },
  'replay-after-end': {
    replies: [200, 500, 200],
    act: async (id) => {
      await admin.eventually(id, ended);
      await sleep(500);
      await admin.post(`/admin/events/${id}/replay`);
    },
  },
  'ack-while-waiting': {
    replies: [500],
    act: async (id) => {
      await attempted(id, 1);
      await admin.post(`/admin/events/${id}/ack`);
    },
  },
  'dead-while-waiting': {
    replies: [500],
    act: async (id) => {
      await attempted(id, 1);
      await admin.post(`/admin/events/${id}/fail`, { dead: true });
    },
  },
  'odd-signals': {
    replies: [500, 200],
    act: async (id) => {
      await attempted(id, 1);
      await signalOddly(id);
    },
  },
};

try {
  await mkdir(folder, { recursive: true });
  for (const [name, scenario] of Object.entries(scenarios).filter(([name]) => wanted(name))) {
    const consumer = await startConsumer(...scenario.replies);
    const account = await admin.createAccount({ delivery_url: consumer.url });
    const told = await Promise.all((scenario.destinations ?? []).map((replies) => startConsumer(...replies)));
    for (const { url } of told) {
      const destination = { destination_type: 'webhook', name: 'Operators', config: { url } };
      await admin.post(`/admin/accounts/${account.id}/destinations`, destination);
    }
    const { body } = await send(gateway.baseUrl, account, `{"id":"${name}"}`);
    await scenario.act?.(body.id);
    await admin.eventually(body.id, ended);
    await admin.eventually(body.id, (event) => event.notifications.every(settled));
    const event = await admin.eventually(body.id, (e) => e.workflow !== null);
    await save(name, event.workflow.id);
    await Promise.all([consumer, ...told].map((server) => server.close()));
  }
  for (const task of maintenanceTaskNames.filter((name) => wanted(`own-queue-upkeep-${name}`))) {
    await triggered({ admin }, task);
    await save(`own-queue-upkeep-${task}`, await maintenanceRun(task));
  }
} finally {
  await gateway.stop();
  await temporal.stop();
  await workdir.remove();
}

/** Sends signals as an operator may by hand: without an argument, with a text, and with another object. */
async function signalOddly(eventId: string): Promise<void> {
  const connection = await Connection.connect({ address: temporal.address });
  const handle = new Client({ connection }).workflow.getHandle(`event-${eventId}`);
  for (const name of ['ack', 'fail', 'retry', 'replay'])
    for (const args of [[], ['text'], [{}]]) await handle.signal(name, ...args);
  await connection.close();
}

/** The workflow id of the latest run of a task's schedule. */
async function maintenanceRun(task: string): Promise<string> {
  const connection = await Connection.connect({ address: temporal.address });
  const client = new Client({ connection });
  const described = await client.schedule.getHandle(`webhook-deliveries-upkeep-${task}`).describe();
  await connection.close();
  const last = described.info.recentActions.at(-1);
  if (!last) throw new Error(`${task} has not run`);
  return last.action.workflow.workflowId;
}

/** Every run of the workflow, oldest first: a replay continues as new. */
async function save(name: string, workflowId: string): Promise<void> {
  const connection = await Connection.connect({ address: temporal.address });
  const client = new Client({ connection });
  await sleep(1_000);
  const runs: string[] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.unshift(runId);
  for (const [index, runId] of runs.entries()) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const file = `${name}${runs.length > 1 ? `-run-${index + 1}` : ''}.json`;
    // The identity of the worker, and the queue of its cached workflows, name a machine and are not needed.
    const text = historyToJSON(history)
      .replace(/"identity": ?"[^"]*"/g, '"identity":"worker"')
      .replace(/"name": ?"\d+@[^"]*"/g, '"name":"worker"')
      .replace(/"stackTrace": ?"(?:[^"\\]|\\.)*"/g, '"stackTrace":""');
    await writeFile(`${folder}${file}`, `${JSON.stringify({ workflowId, history: JSON.parse(text) }, null, 1)}\n`);
    console.log(file, history.events?.length, 'events');
  }
  await connection.close();
}
