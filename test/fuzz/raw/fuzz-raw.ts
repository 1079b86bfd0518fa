import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateOnce } from '../../../src/database/migrate.ts';
import { createLog } from '../../../src/shared/log.ts';
import { adminToken, createAccount, startGatewayProcess, temporaryPostgres } from '../../bench/processes.ts';
import { attackedOptions, watchDamage } from '../../support/damage.ts';
import { deniedIn } from '../../support/denied.ts';
import { runSigned } from '../signed/run-signed.ts';
import type { Lane } from './compare.ts';
import type { Judged } from './judge.ts';
import { type Target, targetsOf } from './message.ts';
import { runCases } from './run-cases.ts';
import { runStreams } from './run-streams.ts';
import { slowClients } from './slow.ts';
import { wrongTokens } from './wrong-tokens.ts';

/** Streams for each of `--examples`. */
const streamsPerExample = 20;
/** With the table before, the whole part takes less than a minute. */
const streamsLimitMs = 25_000;
/** Accounts with generated signatures for each of `--examples`. */
const signedPerExample = 5;
const laneCount = 6;
/**
 * What the gateway may grow by, as in `test/attacks`, and what another client may wait for: more than there, because
 * PostgreSQL, the gateway and the clients share the machine.
 */
const limits = { grownMiB: 150, slowestMs: 3_000 };

interface Gateway {
  baseUrl: string;
  pid: number;
  client: pg.Pool;
}

/**
 * Sends bad and good HTTP over raw sockets to an `api` process with a new database: the tables of cases, generated
 * streams, webhooks with ambiguous signatures, slow clients and wrong tokens, all while another client sends webhooks.
 *
 * @param seed of the generated streams and of the places where writes are cut
 * @returns the exit code
 */
export async function fuzzRaw({ examples, seed }: { examples: number; seed: number }): Promise<number> {
  console.log(`Raw HTTP, --seed ${seed}`);
  const postgres = await temporaryPostgres();
  const client = new pg.Pool({ connectionString: postgres.url, max: laneCount });
  // The queries report it.
  client.on('error', () => undefined);
  try {
    await migrateOnce(postgres.url, createLog('warn'));
    const gateway = await startGatewayProcess('api', {
      DATABASE_URL: postgres.url,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      // Only this client names other addresses, so that those of the other clients stay their own.
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'error',
      ...attackedOptions,
    });
    try {
      const wrong = await measured({ baseUrl: gateway.baseUrl, pid: gateway.pids[0] ?? 0, client }, examples, seed);
      for (const what of wrong) console.error(`✗ ${what}`);
      console.log(
        wrong.length === 0 ? 'Raw HTTP: nothing is wrong' : `Raw HTTP: ${wrong.length} faults, --seed ${seed}`,
      );
      return wrong.length === 0 ? 0 : 1;
    } finally {
      await gateway.stop();
    }
  } finally {
    await client.end();
    await postgres.stop();
  }
}

async function measured(gateway: Gateway, examples: number, seed: number): Promise<string[]> {
  const { baseUrl, pid } = gateway;
  const healthy = await newAccount(gateway);
  const request = { method: 'POST', path: healthy.ingestion.path, body: 'from the other client' };
  const watch = await watchDamage({ pid, baseUrl, request });
  try {
    const wrong = await Promise.race([sendAll(gateway, examples, seed), watch.broken]);
    const { grownMiB, slowestMs, statuses } = await watch.report();
    console.log(
      `the gateway grew by ${Math.round(grownMiB)} MiB; another client waited for ${Math.round(slowestMs)} ms at most`,
    );
    if (grownMiB > limits.grownMiB) wrong.push(`the gateway grew by ${grownMiB} MiB, more than ${limits.grownMiB}`);
    if (slowestMs > limits.slowestMs)
      wrong.push(`another client waited for ${slowestMs} ms, more than ${limits.slowestMs}`);
    if (statuses.some((status) => status !== 202)) wrong.push(`another client was answered by ${statuses.join(', ')}`);
    return wrong;
  } finally {
    await watch.end();
  }
}

async function sendAll(gateway: Gateway, examples: number, seed: number): Promise<string[]> {
  const { baseUrl } = gateway;
  const stored = async (marker: string): Promise<Buffer[]> => {
    const text = 'select body from event_payloads where position($1::bytea in body) > 0';
    const { rows } = await gateway.client.query<{ body: Buffer }>(text, [Buffer.from(marker, 'latin1')]);
    return rows.map(({ body }) => body);
  };
  const ofCases = await newAccount(gateway);
  const judged: Judged = { baseUrl, ingestion: ofCases.ingestion, stored };
  const ofSlow = await newAccount(gateway);
  const slowMarker = 'slow-body-';
  const guessing = wrongTokens({
    ...{ baseUrl, adminToken, seed },
    denied: () => deniedIn({ query: async (sql) => (await gateway.client.query(sql)).rows }),
  });
  const slow = slowClients(baseUrl, ofSlow.ingestion, slowMarker);
  const [wrongCases, cases] = await runCases(judged, ofCases.targets, seed);
  console.log(`${cases} connections with the cases of the tables`);
  const lanes = await Promise.all(Array.from({ length: laneCount }, (_, index) => newLane(gateway, index)));
  const options = { seed, streams: examples * streamsPerExample, limitMs: streamsLimitMs };
  const [wrongStreams, streams] = await runStreams(lanes, options);
  console.log(`${streams} generated streams`);
  const accounts = examples * signedPerExample;
  const [wrongSigned, signed] = await runSigned({ baseUrl, adminToken }, { seed, accounts });
  console.log(`${signed} webhooks to accounts with generated schemes`);
  const wrongSlow = await slow;
  const wrongGuesses = await guessing;
  const slowStored = await stored(slowMarker);
  if (slowStored.length > 0) wrongSlow.push(`${slowStored.length} slow bodies were stored`);
  return [...wrongCases, ...wrongStreams, ...wrongSigned, ...wrongSlow, ...wrongGuesses];
}

async function newLane(gateway: Gateway, index: number): Promise<{ lane: Lane; targets: Target[] }> {
  const { targets, accountId } = await newAccount(gateway);
  const seen: string[] = [];
  const newBodies = async () => {
    const { rows } = await gateway.client.query<{ id: string; body: Buffer }>(
      `select e.id, p.body from events e join event_payloads p on p.event_id = e.id
       where e.account_id = $1 and not e.id = any($2::uuid[])`,
      [accountId, seen],
    );
    seen.push(...rows.map(({ id }) => id));
    return rows.map(({ body }) => body);
  };
  return { lane: { baseUrl: gateway.baseUrl, localAddress: `127.0.3.${index + 1}`, newBodies, late: [] }, targets };
}

/** An account of its own that takes webhooks of any content. */
async function newAccount({ baseUrl }: Gateway): Promise<{ ingestion: Target; targets: Target[]; accountId: string }> {
  const slug = `raw-${randomBytes(6).toString('hex')}`;
  const { adminUrl } = await createAccount(baseUrl, { account_slug: slug, skip_signature_verification: true });
  const targets = targetsOf({ slug, adminToken });
  const [ingestion] = targets;
  if (!ingestion) throw new Error('there is no target');
  return { ingestion, targets, accountId: adminUrl.slice(adminUrl.lastIndexOf('/') + 1) };
}
