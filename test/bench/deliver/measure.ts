import { setTimeout as sleep } from 'node:timers/promises';
import { type ArrivalReport, ofConsumer } from '../consumer/arrivals.ts';
import { cpuEach, cpuTimes } from '../cpu.ts';
import type { SendReport } from '../load/send.ts';
import type { Target } from '../load/webhooks.ts';
import { percentile } from '../report.ts';
import type { Figures } from './figures.ts';
import type { Stage } from './stage.ts';

export interface Load {
  targets: Target[];
  events: number;
  /** Events a second; 0 sends as fast as the connections allow. */
  rate: number;
  connections: number;
  bytes: number;
  /** The consumers of each target besides `default`, by the names under which their deliveries are counted. */
  consumers?: readonly string[];
}

/** Duplicates arrive after the first deliveries. */
const settleMs = 2_000;
const limitMs = 300_000;
const accepted = 202;
let runs = 0;

/** A name for a run that no other run of this benchmark has. */
export const newRun = () => `${process.pid.toString(36)}${Date.now().toString(36)}n${runs++}`;

/** Sends events through the gateway until all have arrived, and measures them with the CPU time they took. */
export async function measure(stage: Stage, load: Load): Promise<Figures> {
  const run = newRun();
  const { consumers = [], ...webhooks } = load;
  const others = consumers.map((name) => ofConsumer(run, name));
  const before = cpuTimes(stage.gateway.pids, stage.gateway.balancerPids);
  const sent = await stage.ends.load.call('send', { run, ...webhooks });
  await allDelivered(stage, run, sent);
  for (const other of others) await untilDelivered(stage, other, sent);
  const after = cpuTimes(stage.gateway.pids, stage.gateway.balancerPids);
  const reports = await Promise.all([run, ...others].map((each) => reportOf(stage, each)));
  const figures = together(reports.map((arrived) => figuresOf(sent, arrived)));
  return { ...figures, cpu: cpuEach(before, after, figures.acknowledged) };
}

/** The figures of several consumers of the same webhooks, until the last delivery. The times are those of the slowest one. */
function together(consumers: Figures[]): Figures {
  const slowest = consumers.reduce((a, b) => (b.seconds > a.seconds ? b : a));
  const sum = (read: (figures: Figures) => number) => consumers.reduce((total, figures) => total + read(figures), 0);
  const delivered = sum((figures) => figures.delivered);
  return {
    ...slowest,
    ...{ delivered, eventsPerS: delivered / slowest.seconds },
    ...{ lost: sum(({ lost }) => lost), duplicated: sum(({ duplicated }) => duplicated) },
  };
}

/** Waits until every acknowledged event of a run was delivered, but no longer than the limit. */
export async function allDelivered(stage: Stage, run: string, sent: SendReport, waitMs = limitMs): Promise<void> {
  stage.tally.addSent(sent);
  await untilDelivered(stage, run, sent, waitMs);
}

async function untilDelivered({ ends }: Stage, run: string, sent: SendReport, waitMs = limitMs): Promise<void> {
  const events = Float64Array.from(acknowledgedOf(sent));
  await ends.consumer.call('untilDelivered', { run, events, limitMs: waitMs });
}

/** All deliveries of a run, with the duplicates that arrive within two seconds. */
export async function reportOf({ ends, tally }: Stage, run: string): Promise<ArrivalReport> {
  await sleep(settleMs);
  const report = await ends.consumer.call('arrivals', { run });
  await ends.consumer.call('forget', { run });
  tally.addArrived(report);
  return report;
}

/**
 * What the reports of both ends say.
 *
 * @param resumedMs when deliveries began, if that was later than the first POST: their times count from then
 */
export function figuresOf(sent: SendReport, arrived: ArrivalReport, resumedMs = 0): Figures {
  const delivered = new Map<number, number>();
  let duplicated = 0;
  arrived.events.forEach((event, n) => {
    if (arrived.statuses[n] !== 200) return;
    if (delivered.has(event)) duplicated++;
    else delivered.set(event, arrived.atMs[n] ?? 0);
  });
  const sentMs = (event: number) => sent.sentMs[event] ?? Number.NaN;
  const acknowledged = acknowledgedOf(sent);
  const ackMs = acknowledged.map((event) => (sent.answeredMs[event] ?? Number.NaN) - sentMs(event));
  const throughMs = [...delivered].map(([event, atMs]) => atMs - Math.max(resumedMs, sentMs(event)));
  const acceptedS = (latest(sent.answeredMs) - sentMs(0)) / 1000;
  const seconds = (latest(delivered.values()) - Math.max(resumedMs, sentMs(0))) / 1000;
  return {
    sent: sent.sentMs.length,
    acknowledged: acknowledged.length,
    acksPerS: acknowledged.length / acceptedS,
    ackP50Ms: percentile(ackMs, 0.5),
    ackP99Ms: percentile(ackMs, 0.99),
    delivered: delivered.size,
    seconds,
    eventsPerS: delivered.size / seconds,
    p50Ms: percentile(throughMs, 0.5),
    p99Ms: percentile(throughMs, 0.99),
    lost: acknowledged.filter((event) => !delivered.has(event)).length,
    duplicated,
    cpu: null,
    miscounted: null,
  };
}

/** The numbers of the events that were answered 202. */
const acknowledgedOf = ({ statuses }: SendReport): number[] =>
  [...statuses.keys()].filter((event) => statuses[event] === accepted);

/** The largest of many times; `Math.max(...)` has a limit of arguments. */
function latest(timesMs: Iterable<number>): number {
  let found = 0;
  for (const atMs of timesMs) found = Math.max(found, atMs);
  return found;
}
