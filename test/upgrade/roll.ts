import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Balancer } from '../cluster/balancer.ts';
import { claimsTakenOver } from '../support/deliveries-made.ts';
import { startArguments } from '../support/start-command.ts';
import { until } from '../support/until.ts';
import { accounts, Consumer, Load, type Sent } from './load.ts';
import { checkOutReleaseBefore, thisCheckout } from './release-before.ts';
import { type Report, reportOf, type Stop } from './report.ts';
import { Place } from './role.ts';

/** Nine delays. The first one is long enough that many events wait in a workflow while a worker is replaced. */
const firstDelayMs = 3_000;
const schedule = [`${firstDelayMs}ms`, ...Array.from({ length: 8 }, () => '1s')].join(',');
/** Delays have a jitter of ±10 %. */
const firstDelaysMs = { min: firstDelayMs * 0.9, max: firstDelayMs * 1.1 };
/** Until events that wait for a retry are delivered, and their workflows have started. */
const settleLimitMs = 180_000;

export interface RollOptions {
  /** Processes may write here. */
  folder: string;
  databaseUrl: string;
  temporalAddress: string;
  /** Webhooks per second. */
  rate: number;
  /** The first attempt of one in so many webhooks fails. */
  flakyEvery: number;
  /** `on_retry` for rates at which this machine cannot start a workflow for each event. */
  eventWorkflows: 'always' | 'on_retry';
  /** Load before, between and after the replacements. */
  quietMs: number;
  secrets: { admin: string; signing: string };
  compileCache: string;
  onProgress(line: string): void;
  /** Called before the first process starts, with what ends all of them, for a run that is given up. */
  onStart(end: () => Promise<void>): void;
  query(sql: string): Promise<Record<string, unknown>[]>;
}

/**
 * Runs two apis and two workers of the release before under load, migrates the database with this release, replaces each
 * process in turn by one of this release, and goes back in the same way. The database must be empty.
 *
 * @returns also how many claims were taken over from processes that stood still: so many attempts may have been repeated
 */
export async function roll(options: RollOptions): Promise<Report & { undelivered: string[]; takenOver: number }> {
  const { folder, databaseUrl, secrets, quietMs, onProgress } = options;
  const before = checkOutReleaseBefore(folder);
  const { PATH = '', HOME = '', XDG_CACHE_HOME } = process.env;
  const env = {
    ...{ PATH, HOME, ...(XDG_CACHE_HOME === undefined ? {} : { XDG_CACHE_HOME }) },
    NODE_COMPILE_CACHE: options.compileCache,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: options.temporalAddress,
    TEMPORAL_TASK_QUEUE: `upgrade-${randomBytes(6).toString('hex')}`,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: secrets.admin,
    DELIVERY_ALLOWED_NETWORKS: '127.0.0.0/8',
    DELIVERY_SCHEDULE: schedule,
    EVENT_WORKFLOWS: options.eventWorkflows,
    // The balancer checks four times a second.
    SHUTDOWN_DRAIN: '1s',
    PUBLIC_URL: 'http://127.0.0.1:1',
    LOG_LEVEL: 'info',
  };
  /** This process must not wait for it: it is the load, the balancer and the consumer. */
  const migrate = async (checkout: string) => {
    const { stdout } = await promisify(execFile)(process.execPath, startArguments('migrate', checkout), {
      cwd: folder,
      env,
    });
    return stdout.trim();
  };
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  // A place keeps its port while no process is there, so each one takes it from a range of its own.
  const place = (role: 'api' | 'worker', n: number) => {
    const portsFrom = 27_000 + (role === 'api' ? n : n + 2) * 1_000;
    return Place.make({ ...{ name: `${role}-${n}`, role, folder: logs, env }, portsFrom });
  };
  const apis = [await place('api', 1), await place('api', 2)];
  const workers = [await place('worker', 1), await place('worker', 2)];
  const places = [...apis, ...workers];
  options.onStart(async () => {
    for (const each of places) await each.kill();
  });
  const balancer = new Balancer(apis.map(({ port }) => port));
  const consumer = new Consumer();
  const workerStops: Stop[] = [];
  let load: Load | null = null;

  /** Stops the process of a place, and starts another release there. */
  const replace = async (at: Place, by: string, now: string) => {
    onProgress(`${at.name}: ${now}`);
    const fromMs = performance.now();
    await at.stop();
    if (at.role === 'worker') workerStops.push({ fromMs, untilMs: performance.now() });
    await at.start(by);
    if (at.role === 'api') await until(`the balancer uses ${at.name}`, () => balancer.healthy.includes(at.port));
    await sleep(quietMs);
  };

  try {
    onProgress(`the release before: ${await migrate(before)}`);
    await consumer.listen();
    for (const each of places) await each.start(before);
    const url = `http://127.0.0.1:${await balancer.listen()}`;
    for (const account_slug of accounts) await createAccount(url, secrets, account_slug, consumer.port);
    load = new Load({ url, rate: options.rate, flakyEvery: options.flakyEvery, secret: secrets.signing });
    load.start();
    await sleep(quietMs);
    onProgress(`migrated: ${await migrate(thisCheckout)}`);
    await sleep(quietMs);
    // First attempts are made by the apis of this release and by the workers of the one before (docs/upgrades.md).
    for (const each of [...apis, ...workers]) await replace(each, thisCheckout, 'this release');
    // Its migrate must leave what this release has made.
    onProgress(`the release before: ${await migrate(before)}`);
    for (const each of [...workers, ...apis]) await replace(each, before, 'the release before');
    const sent = await load.stop();
    const undelivered = () => undeliveredEvents(options, sent);
    await until('all events are delivered', async () => (await undelivered()).length === 0, {
      limitMs: settleLimitMs,
    }).catch(() => undefined);
    const left = await undelivered();
    for (const each of places) await each.stop();
    const takenOver = claimsTakenOver(places.map((each) => each.said()).join('\n'));
    return { ...reportOf(sent, consumer.received, firstDelaysMs, workerStops), undelivered: left, takenOver };
  } catch (error) {
    // The folder is removed, and what the processes said tells why.
    throw new Error(`${error}\n${places.map((each) => `${each.name}:\n${each.warnings()}`).join('\n')}`, {
      cause: error,
    });
  } finally {
    await load?.stop();
    for (const each of places) await each.kill();
    balancer.close();
    consumer.close();
  }
}

async function createAccount(
  url: string,
  { admin, signing }: RollOptions['secrets'],
  account_slug: string,
  consumerPort: number,
): Promise<void> {
  const response = await fetch(`${url}/admin/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-admin-token': admin },
    body: JSON.stringify({
      ...{ provider: 'generic', account_slug, app_key: 'upgrade', signing_secret_current: signing },
      delivery_url: `http://127.0.0.1:${consumerPort}/${account_slug}`,
    }),
  });
  if (response.status !== 201) throw new Error(`the account was refused: ${response.status} ${await response.text()}`);
}

/** Accepted events that are not recorded as delivered, with their state. */
async function undeliveredEvents({ query }: RollOptions, sent: readonly Sent[]): Promise<string[]> {
  const rows = await query('select id, delivery_status, attempts from events');
  const states = new Map(rows.map(({ id, ...state }) => [id, state]));
  return sent.flatMap(({ eventId }) => {
    if (eventId === null) return [];
    const state = states.get(eventId);
    return state?.delivery_status === 'delivered' ? [] : [`${eventId} ${JSON.stringify(state)}`];
  });
}
