import { type BothEnds, startBothEnds } from '../../bench/deliver/both-ends.ts';
import { measure } from '../../bench/deliver/measure.ts';
import { warmUp } from '../../bench/deliver/warm-up.ts';
import { markdown } from '../../bench/report.ts';
import { openClusterStage } from '../bench-stage.ts';
import { growth, sizesOf } from '../cost/sizes.ts';
import { untilQuiet } from '../cost/until-quiet.ts';
import type { ClusterGround } from '../ground.ts';
import type { ClusterCommand } from '../options.ts';
import type { PartResult } from '../part.ts';

/** A small body, of which the size on disk is mostly the gateway's own. */
const bytes = 1_000;
const policies = ['always', 'on_retry'] as const;
/** For the starts of all workflows, at 20 a second on a slow machine, and of those that a small run needs. */
const msEach = 50;
const leastMs = 120_000;
/** Tables that grow by less are not shown. */
const shownBytes = 10;

/** Measures what a delivered event of 1 KB takes on disk, in the gateway's database and in Temporal's. */
export async function runDisk(ground: ClusterGround, command: ClusterCommand): Promise<PartResult> {
  const ends = await startBothEnds();
  const rows: Record<string, string>[] = [];
  try {
    for (const policy of policies) rows.push(await diskOf(ground, ends, policy, command));
  } finally {
    await ends.stop();
  }
  console.log(markdown(rows));
  return {
    said: rows.map((row) => Object.values(row).slice(0, -1).join(', ')).join('; '),
    failures: [],
  };
}

async function diskOf(
  ground: ClusterGround,
  ends: BothEnds,
  policy: (typeof policies)[number],
  { events, apis, workers }: ClusterCommand,
): Promise<Record<string, string>> {
  const stage = await openClusterStage(ground, ends, { apis, workers, environment: { EVENT_WORKFLOWS: policy } });
  const { postgres } = stage.cluster.servers;
  try {
    await warmUp(stage);
    const before = await sizesOf(stage.superuserUrl);
    await measure(stage, { targets: [await stage.account()], events, rate: 0, connections: 32, bytes });
    await untilQuiet(postgres, leastMs + events * msEach);
    const after = await sizesOf(stage.superuserUrl);
    const databases = growth(before.databases, after.databases, events);
    const gigabytes = (name: string) => `${((databases.get(name) ?? 0) / 1_000).toFixed(2)} GB`;
    const tables = [...growth(before.tables, after.tables, events)]
      .filter(([, each]) => each >= shownBytes)
      .sort(([, a], [, b]) => b - a)
      .map(([name, each]) => `${name} ${Math.round(each)}`);
    return {
      EVENT_WORKFLOWS: policy,
      'gateway, per million events': gigabytes('gateway'),
      temporal: gigabytes('temporal'),
      temporal_visibility: gigabytes('temporal_visibility'),
      'bytes of an event by table, with indexes': tables.join(', '),
    };
  } finally {
    await stage.close();
  }
}
