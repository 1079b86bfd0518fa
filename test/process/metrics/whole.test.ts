import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readProjectFile } from '../../docker/files.ts';
import { sharedServers, startedFolder, startWholeGateway } from '../../support/gateway-all.ts';
import { gatewaysEndWithTheirTest } from '../../support/gateway-process.ts';
import { kill } from '../../support/kill.ts';
import { withClient } from '../../support/one-connection.ts';
import { ownLocks } from '../../support/own-locks.ts';
import { until } from '../../support/until.ts';
import { countedLoad, loadSettings } from './counted-load.ts';
import { gaugeOf, type ScrapedMetric, scraped, sdkIsMeasured, sumOf } from './exposition.ts';

gatewaysEndWithTheirTest();

/** Name and type of each row of the table of docs/metrics.md. */
const documented = [
  ...readProjectFile('docs/metrics.md').matchAll(/^\| `([a-z_]+)` \| (counter|gauge|histogram) \|/gm),
].map(([, name = '', type = '']) => ({ name, type }));

type Answer = Map<string, ScrapedMetric>;
const programs = ['api', 'worker'] as const;

/** The name of a series of a program of `npm start`: its last label is the role. */
const seriesOf = (role: string, series: string) =>
  series.endsWith('}') ? `${series.slice(0, -1)},role="${role}"}` : `${series}{role="${role}"}`;

/** All series of a program, with their values. */
function allOf(answer: Answer, role: string): Map<string, number> {
  const found = [...answer.values()].flatMap(({ series }) => [...series]);
  return new Map(found.filter(([name]) => name.includes(`role="${role}"`)));
}

/** The counters of a program: whatever becomes smaller would count once more. */
function countersOf(answer: Answer, role: string): Map<string, number> {
  const counters = new Set([...answer].filter(([, { type }]) => type !== 'gauge').map(([name]) => name));
  return new Map(
    [...allOf(answer, role)].filter(([name]) => {
      const [metric = ''] = name.split('{');
      return counters.has(metric) || counters.has(metric.replace(/_(bucket|sum|count)$/, ''));
    }),
  );
}

/** Those of the series that are smaller in the answer, or missing. */
const smaller = (before: Map<string, number>, now: Map<string, number>) =>
  [...before].filter(([name, value]) => (now.get(name) ?? Number.NEGATIVE_INFINITY) < value).map(([name]) => name);

test('npm start has one answer, in which the series of its api never become smaller while its worker dies', async () => {
  const gateway = await startWholeGateway(await startedFolder(), { ...(await sharedServers()), ...loadSettings });
  const { expected } = await countedLoad([gateway], [gateway]);
  const look = () => scraped(gateway.baseUrl);
  const isUp = (answer: Answer) => gaugeOf(answer, 'gateway_worker_process_up');
  await until(
    'the scrape shows all',
    async () => {
      const answer = await look();
      const counted = [...expected.keys()].map((series) => {
        const values = programs.map((role) => sumOf([answer], seriesOf(role, series)));
        return [series, values.reduce((sum, value) => sum + value, 0)];
      });
      expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(expected));
      return true;
    },
    { retryErrors: true },
  );

  // docs/metrics.md names each metric with its type, and no other.
  const answer = await until('its worker answers in time', async () => {
    const found = await look();
    return isUp(found) === 1 && found;
  });
  const own = [...answer].filter(([name]) => !name.startsWith('temporal_'));
  expect(own.map(([name, { type }]) => ({ name, type })).sort(byName)).toEqual(documented.toSorted(byName));
  expect(isUp(answer)).toBe(1);
  await sdkIsMeasured(gateway.baseUrl);
  // Webhooks and first attempts are counted by the api, retries and notifications by the worker.
  const ofApi = seriesOf('api', 'gateway_delivery_attempts_total{outcome="delivered"}');
  expect(sumOf([answer], ofApi)).toBe(expected.get('gateway_delivery_attempts_total{outcome="delivered"}'));
  const notified = seriesOf('worker', 'gateway_notifications_total{channel="webhook",result="sent"}');
  expect(sumOf([answer], notified)).toBeGreaterThan(0);

  const counters = countersOf(answer, 'api');
  expect(counters.size).toBeGreaterThan(50);
  const started = seriesOf('worker', 'process_start_time_seconds');
  const startedAt = sumOf([answer], started);
  // A worker that does not answer, and one that is dead.
  const worker = gateway.program('worker');
  process.kill(worker ?? 0, 'SIGSTOP');
  await until('the scrape says that the worker is away', async () => {
    const now = await look();
    expect(smaller(counters, countersOf(now, 'api'))).toEqual([]);
    if (isUp(now) === 1) return false;
    expect([isUp(now), allOf(now, 'worker')]).toEqual([0, new Map()]);
    return true;
  });
  kill(worker);
  await until('the worker is back', async () => {
    const now = await look();
    expect(smaller(counters, countersOf(now, 'api'))).toEqual([]);
    if (isUp(now) !== 1) return false;
    // Its counters begin again, and its start time tells that.
    expect(sumOf([now], started)).toBeGreaterThan(startedAt);
    expect(sumOf([now], notified)).toBe(0);
    return true;
  });
});

test('while the database is too slow for a scrape, the gauges of api and worker are those of the reading before', async () => {
  const servers = await sharedServers();
  const gateway = await startWholeGateway(await startedFolder(), servers);
  const gauge = 'gateway_deliveries_pending';
  const pending = (answer: Answer) =>
    programs.map((role) => answer.get(gauge)?.series.get(seriesOf(role, gauge)) ?? null);
  const isUp = (answer: Answer) => gaugeOf(answer, 'gateway_worker_process_up') === 1;
  const areShown = (answer: Answer) => pending(answer).every((value) => value === 0);
  await until('both have read their gauges', async () => areShown(await scraped(gateway.baseUrl)));
  const late = await until('a scrape with both is answered while they wait', async () => {
    // Longer than a reading is used again (src/roles/compose-metrics.ts).
    await sleep(2_500);
    return withClient(servers.DATABASE_URL ?? '', async (client) => {
      await client.query('begin');
      await client.query('lock table backups in access exclusive mode');
      const answer = await scraped(gateway.baseUrl);
      const { rowCount } = await client.query(
        `select from ${ownLocks} where relation = 'backups'::regclass and not granted`,
      );
      // On a busy machine, the worker may answer later than the api waits for it: half a second after its own limit.
      return rowCount === programs.length && isUp(answer) && answer;
    });
  });
  expect(pending(late)).toEqual([0, 0]);
  await gateway.printed(/gauges read too slowly/, 'stderr');
});

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
