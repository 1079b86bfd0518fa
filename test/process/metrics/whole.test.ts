import { expect, test } from 'vitest';
import { readProjectFile } from '../../docker/files.ts';
import { childrenOf } from '../../support/descendants.ts';
import { sharedServers, startedFolder, startWholeGateway, type WholeGateway } from '../../support/gateway-all.ts';
import { gatewaysEndWithTheirTest } from '../../support/gateway-process.ts';
import { kill } from '../../support/kill.ts';
import { until } from '../../support/until.ts';
import { countedLoad, loadSettings } from './counted-load.ts';
import { scraped, sdkIsMeasured, sumOf } from './exposition.ts';

const timeout = 240_000;
gatewaysEndWithTheirTest();

/** Name and type of each row of the table of docs/metrics.md. */
const documented = [
  ...readProjectFile('docs/metrics.md').matchAll(/^\| `([a-z_]+)` \| (counter|gauge|histogram) \|/gm),
].map(([, name = '', type = '']) => ({ name, type }));

const workerOf = ({ pid }: WholeGateway): number | null =>
  childrenOf(pid).find(({ command }) => command.includes('worker-process-main.ts'))?.pid ?? null;

const shown = async ({ baseUrl }: WholeGateway, series: Iterable<string>) => {
  const answer = await scraped(baseUrl);
  return Object.fromEntries([...series].map((one) => [one, sumOf([answer], one)]));
};

test('npm start has one answer, with the counts of both processes, also after the death of one', {
  timeout,
}, async () => {
  const gateway = await startWholeGateway(await startedFolder(), { ...(await sharedServers()), ...loadSettings });
  const { expected } = await countedLoad([gateway]);
  const counted = Object.fromEntries(expected);
  await until(
    'the scrape shows all',
    async () => {
      expect(await shown(gateway, expected.keys())).toEqual(counted);
      return true;
    },
    { retryErrors: true },
  );

  // docs/metrics.md names each metric with its type, and no other.
  const answer = await scraped(gateway.baseUrl);
  const own = [...answer].filter(([name]) => !name.startsWith('temporal_'));
  expect(own.map(([name, { type }]) => ({ name, type })).sort(byName)).toEqual(documented.toSorted(byName));
  expect(answer.get('gateway_worker_process_up')?.series.get('gateway_worker_process_up')).toBe(1);
  await sdkIsMeasured(gateway.baseUrl);

  // A counter that became smaller would look like a restart, after which all of it counts once more.
  const worker = workerOf(gateway);
  // A scrape waits for a worker process that starts again at once. It gives up on one that is stopped.
  if (worker === null) throw new Error('there is no worker process');
  process.kill(worker, 'SIGSTOP');
  await until('the scrape says that the worker process is away', async () => {
    const up = await shown(gateway, ['gateway_worker_process_up', ...expected.keys()]);
    const { gateway_worker_process_up: isUp, ...counts } = up;
    expect(counts).toEqual(counted);
    return isUp === 0;
  });
  kill(worker);
  await until('the worker process is back', async () => {
    const up = await shown(gateway, ['gateway_worker_process_up', ...expected.keys()]);
    const { gateway_worker_process_up: isUp, ...counts } = up;
    expect(counts).toEqual(counted);
    return isUp === 1;
  });
});

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
