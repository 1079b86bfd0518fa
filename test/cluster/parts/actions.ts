import { setTimeout as sleep } from 'node:timers/promises';
import { Poster } from '../../bench/load/webhooks.ts';
import { adminToken, createAccount } from '../../bench/processes.ts';
import { markdown } from '../../bench/report.ts';
import { Cluster } from '../cluster.ts';
import { type Fate, fates, startFatefulConsumer } from '../cost/consumer.ts';
import { actionsEach, temporalActions } from '../cost/temporal-actions.ts';
import { untilQuiet } from '../cost/until-quiet.ts';
import type { ClusterGround } from '../ground.ts';
import type { ClusterCommand } from '../options.ts';
import type { PartResult } from '../part.ts';

/** At most so many events of each kind. Maintenance adds an action now and then, which is little compared with so many events. */
const mostEvents = 100;
const settleLimitMs = 180_000;
/** Workflows end, and the server counts, a moment after the event is settled. */
const countedMs = 3_000;
/** How long the gateway is watched without events. */
const idleMs = 60_000;
/** Ten attempts within seconds. The delays play no part in the number of actions. */
const schedule = Array.from({ length: 9 }, () => '300ms').join(',');

/** The ways in which an event's first attempt and its workflow are made: EVENT_WORKFLOWS and API_DELIVERS. */
const ways = [
  { EVENT_WORKFLOWS: 'always', API_DELIVERS: 'false' },
  { EVENT_WORKFLOWS: 'always', API_DELIVERS: 'true' },
  { EVENT_WORKFLOWS: 'on_retry', API_DELIVERS: 'true' },
] as const;

/** Counts the Temporal actions of an event: what Temporal Cloud would bill. */
export async function runActions(ground: ClusterGround, command: ClusterCommand): Promise<PartResult> {
  const events = Math.min(command.events, mostEvents);
  const consumer = await startFatefulConsumer();
  const rows: Record<string, string>[] = [];
  try {
    for (const way of ways) rows.push(...(await actionsOfWay({ ground, consumerUrl: consumer.url, way, events })));
  } finally {
    consumer.close();
  }
  console.log(markdown(rows));
  return {
    said: rows.map(({ event, settings, 'actions per event': each }) => `${settings}, ${event}: ${each}`).join('; '),
    failures: rows.length > 0 && rows.every((row) => row.types === '') ? ['the server counted no action'] : [],
  };
}

async function actionsOfWay(options: {
  ground: ClusterGround;
  consumerUrl: string;
  way: (typeof ways)[number];
  events: number;
}): Promise<Record<string, string>[]> {
  const { ground, consumerUrl, way, events } = options;
  const cluster = await Cluster.open(ground, {
    ...{ apis: 1, workers: 1, adminToken },
    environment: { ...way, DELIVERY_SCHEDULE: schedule, LOG_LEVEL: 'warn' },
  });
  const { temporal } = cluster.servers;
  const first = way.API_DELIVERS === 'true' ? 'first attempt by the api' : 'all attempts by the workflow';
  const settings = `${way.EVENT_WORKFLOWS}, ${first}`;
  const actions = () => temporalActions(temporal.metricsUrl ?? '');
  const rows: Record<string, string>[] = [];
  try {
    // The first events also start what is started once, such as the schedules of maintenance.
    for (const fate of Object.keys(fates).filter(isFate)) await send(cluster, consumerUrl, fate, 1);
    for (const fate of Object.keys(fates).filter(isFate)) {
      const before = await actions();
      await send(cluster, consumerUrl, fate, events);
      rows.push({ settings, event: fates[fate], ...shown(actionsEach(before, await actions(), events)) });
    }
    const before = await actions();
    await sleep(idleMs);
    rows.push({ settings, event: 'none, in a minute', ...shown(actionsEach(before, await actions(), 1)) });
  } finally {
    await cluster.close();
  }
  for (const row of rows) console.log(`${settings}, ${row.event}: ${row['actions per event']} (${row.types})`);
  return rows;
}

const isFate = (path: string): path is Fate => Object.hasOwn(fates, path);

/** Sends events of an account of their own, and waits until they are settled and counted. */
async function send(cluster: Cluster, consumerUrl: string, fate: Fate, count: number): Promise<void> {
  const account = await createAccount(cluster.url, { delivery_url: consumerUrl + fate });
  for (const name of ['one', 'two']) {
    const response = await fetch(`${account.adminUrl}/destinations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-admin-token': adminToken },
      body: JSON.stringify({ destination_type: 'webhook', name, config: { url: `${consumerUrl}/notify/${name}` } }),
    });
    if (response.status !== 201) throw new Error(`no destination: ${await response.text()}`);
    await response.arrayBuffer();
  }
  const poster = new Poster({ targets: [account], connections: 4 });
  const run = account.url.slice(-12);
  for (let n = 0; n < count; n++) await poster.post(run, n);
  await poster.close();
  await untilQuiet(cluster.servers.postgres, settleLimitMs);
  await sleep(countedMs);
}

function shown(each: ReadonlyMap<string, number>): { 'actions per event': string; types: string } {
  const total = [...each.values()].reduce((sum, one) => sum + one, 0);
  const types = [...each].sort(([a], [b]) => (a < b ? -1 : 1)).map(([type, one]) => `${type} ${one.toFixed(2)}`);
  return { 'actions per event': total.toFixed(2), types: types.join(', ') };
}
