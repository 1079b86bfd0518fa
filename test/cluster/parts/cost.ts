import { cpuTimes } from '../../bench/cpu.ts';
import { type BothEnds, startBothEnds } from '../../bench/deliver/both-ends.ts';
import type { Figures } from '../../bench/deliver/figures.ts';
import { measure } from '../../bench/deliver/measure.ts';
import { warmUp } from '../../bench/deliver/warm-up.ts';
import { markdown } from '../../bench/report.ts';
import { openClusterStage } from '../bench-stage.ts';
import {
  beginCounting,
  countedStatements,
  countingStatements,
  type StatementCost,
  statementRows,
} from '../cost/statements.ts';
import type { ClusterGround } from '../ground.ts';
import type { ClusterCommand } from '../options.ts';
import type { PartResult } from '../part.ts';
import { median } from '../scale/median.ts';

/** With the most apis, the gateway's CPU time for an event may be at most so many times that with the fewest. */
const mostTimes = 1.33;
const shownStatements = 12;
/**
 * As many for each api, and as many events, so that each is as busy as one alone. What costs most is a statement, which is
 * for all webhooks that an api has received during the one before; and each process compiles its code for itself.
 */
const connectionsPerApi = 64;
const load = { rate: 0, bytes: 1_000 };

interface Round {
  apis: number;
  events: number;
  figures: Figures;
  /** CPU time of the apis alone, in ms for each event: the workers begin more workflows the longer a burst takes. */
  apiMs: number;
  statements: StatementCost[];
}

/** Measures what an event of a burst costs with each number of apis, by process and by statement. */
export async function runCost(ground: ClusterGround, command: ClusterCommand): Promise<PartResult> {
  const { apiCounts, pairs } = command;
  const ends = await startBothEnds();
  const rounds: Round[] = [];
  try {
    for (let n = 0; n < pairs; n++)
      for (const apis of apiCounts) {
        rounds.push(await burstOf(ground, ends, apis, command));
        console.error(Object.values(rowOf(apis, rounds.slice(-1))).join(' | '));
      }
  } finally {
    await ends.stop();
  }
  const of = (apis: number) => rounds.filter((round) => round.apis === apis);
  const gateway = (apis: number) => of(apis).map(({ figures }) => figures.cpu?.gateway ?? Number.NaN);
  const [fewest, most] = [Math.min(...apiCounts), Math.max(...apiCounts)];
  // Of the same round: the speed of a shared machine changes between rounds.
  const withFewest = gateway(fewest);
  const times = median(gateway(most).map((ms, n) => ms / (withFewest[n] ?? Number.NaN)));
  console.log(markdown(apiCounts.map((apis) => rowOf(apis, of(apis)))));
  console.log('The statements whose time grows most with the number of apis:');
  console.log(markdown(statementRows(rounds, shownStatements)));
  return {
    said: `CPU of the gateway for an event with ${most} apis: ${times.toFixed(2)} times that with ${fewest}`,
    failures: [
      ...rounds.flatMap(({ apis, figures: { lost, duplicated } }) =>
        lost + duplicated > 0 ? [`${apis} apis: ${lost} lost, ${duplicated} twice`] : [],
      ),
      ...(times <= mostTimes ? [] : [`an event costs ${times.toFixed(2)} times as much; at most ${mostTimes} times`]),
    ],
  };
}

async function burstOf(
  ground: ClusterGround,
  ends: BothEnds,
  apis: number,
  { workers, nginx, events: eventsPerApi }: ClusterCommand,
): Promise<Round> {
  const events = eventsPerApi * apis;
  const stage = await openClusterStage(ground, ends, { apis, workers, nginx, postgresSettings: countingStatements });
  try {
    await warmUp(stage);
    const targets = [await stage.account()];
    const url = stage.superuserUrl('gateway');
    const apiMs = () => {
      const pids = stage.cluster.roles('api').flatMap(({ process }) => process.process.pid ?? []);
      return cpuTimes(pids).gateway;
    };
    await beginCounting(url);
    const beforeMs = apiMs();
    const figures = await measure(stage, { targets, events, ...load, connections: connectionsPerApi * apis });
    return { apis, events, figures, apiMs: (apiMs() - beforeMs) / events, statements: await countedStatements(url) };
  } finally {
    await stage.close();
  }
}

/** The rounds with one number of apis: medians, and all events that were lost or delivered twice. */
function rowOf(apis: number, rounds: readonly Round[]): Record<string, string | number> {
  const of = (value: (figures: Figures) => number | undefined) =>
    median(rounds.map(({ figures }) => value(figures) ?? Number.NaN));
  const sum = (value: (figures: Figures) => number) => rounds.reduce((total, { figures }) => total + value(figures), 0);
  return {
    apis,
    'events/s': Math.round(of(({ eventsPerS }) => eventsPerS)),
    'end to end p50 ms': of(({ p50Ms }) => p50Ms).toFixed(1),
    'end to end p99 ms': of(({ p99Ms }) => p99Ms).toFixed(1),
    'CPU ms/event gateway': of(({ cpu }) => cpu?.gateway).toFixed(3),
    'of these the apis': median(rounds.map(({ apiMs }) => apiMs)).toFixed(3),
    PostgreSQL: of(({ cpu }) => cpu?.database).toFixed(3),
    Temporal: of(({ cpu }) => cpu?.engine).toFixed(3),
    balancer: of(({ cpu }) => cpu?.balancer).toFixed(3),
    lost: sum(({ lost }) => lost),
    duplicated: sum(({ duplicated }) => duplicated),
  };
}
