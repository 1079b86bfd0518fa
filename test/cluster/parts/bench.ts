import { startBothEnds } from '../../bench/deliver/both-ends.ts';
import { comparison, type Pair, pairUp } from '../../bench/deliver/comparison.ts';
import { startDatabases } from '../../bench/deliver/databases.ts';
import { columnsOf, type Measured } from '../../bench/deliver/figures.ts';
import { play, playOn } from '../../bench/deliver/play.ts';
import { scenarios, scenariosOf } from '../../bench/deliver/scenarios.ts';
import { markdown } from '../../bench/report.ts';
import { openClusterStage } from '../bench-stage.ts';
import type { ClusterGround } from '../ground.ts';
import type { ClusterCommand } from '../options.ts';
import type { PartResult } from '../part.ts';

/** The sizes of `npm run bench -- deliver`, except for the burst. */
const sizes = {
  ...{ connections: 64, rates: [5, 100], seconds: 20, backlog: 100_000, due: 10_000 },
  ...{ accounts: 1_000, consumers: [], bodies: [1_000, 10_000, 250_000], slowEvents: 1_000 },
};

/** A row of the table. The balancer has a column of its own: in production it is not a part of the gateway. */
export function rowOf(gateway: string, { scenario, figures }: Measured): Record<string, string | number> {
  const balancer = figures.cpu?.balancer;
  return { scenario, gateway, ...columnsOf(figures), 'CPU ms/event balancer': balancer ? balancer.toFixed(2) : '' };
}

/** Runs scenarios of the benchmark with `npm start` and with the cluster, and prints a row for each of both. */
export async function runBench(
  ground: ClusterGround,
  { scenarios: names, events, apis, workers, pairs, nginx }: ClusterCommand,
): Promise<PartResult> {
  const unknown = names.filter((name) => !Object.hasOwn(scenarios, name));
  if (unknown.length > 0)
    throw new Error(`there is no scenario ${unknown.join(', ')}; npm run bench prints all of them`);
  const gateway = { checkout: null, apiDelivers: null, eventWorkflows: null };
  const clusterName = `cluster, ${apis} api, ${workers} worker`;
  const ends = await startBothEnds();
  const databases = await startDatabases({ filled: 0, checkout: null });
  const rows: Record<string, string | number>[] = [];
  const compared: Pair[] = [];
  const add = (name: string, measured: readonly Measured[]) => {
    for (const each of measured) {
      rows.push(rowOf(name, each));
      console.error(Object.values(rows.at(-1) ?? {}).join(' | '));
    }
  };
  try {
    for (const scenario of scenariosOf(names, { ...sizes, events })) {
      for (let n = 0; n < pairs; n++) {
        const alone = await play({ ends, databases }, gateway, scenario);
        add('npm start', alone);
        const together = await playOn(ends, () => openClusterStage(ground, ends, { apis, workers, nginx }), scenario);
        add(clusterName, together);
        compared.push(...pairUp(together, alone));
      }
    }
  } finally {
    await databases.stop();
    await ends.stop();
  }
  const ordered = rows.toSorted((a, b) => String(a.scenario).localeCompare(String(b.scenario)));
  console.log(markdown(ordered));
  if (pairs > 1) console.log(markdown(comparison(compared, { ours: 'cluster', theirs: 'npm start' })));
  return {
    said: ordered.map((row) => `${row.gateway}, ${row.scenario}: ${row['events/s']} events/s`).join('; '),
    failures: rows.flatMap(({ scenario, gateway: name, lost, duplicated, 'metrics that differ': differing }) => [
      ...(Number(lost) + Number(duplicated) > 0 ? [`${name}, ${scenario}: ${lost} lost, ${duplicated} twice`] : []),
      ...(Number(differing) > 0 ? [`${name}, ${scenario}: ${differing} metrics differ from what was counted`] : []),
    ]),
  };
}
