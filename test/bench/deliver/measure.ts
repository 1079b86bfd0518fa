import { setTimeout as sleep } from 'node:timers/promises';
import type { ArrivalReport } from '../consumer/arrivals.ts';
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
  const before = cpuTimes(stage.gateway.pid);
  const sent = await stage.ends.load.call('send', { run, ...load });
  await allDelivered(stage, run, sent);
  const after = cpuTimes(stage.gateway.pid);
  await sleep(settleMs);
  const arrived = await stage.ends.consumer.call('arrivals', { run });
  await stage.ends.consumer.call('forget', { run });
  const figures = figuresOf(sent, arrived);
  return { ...figures, cpu: cpuEach(before, after, figures.acknowledged) };
}

/** Waits until every acknowledged event of a run was delivered, but no longer than the limit. */
export async function allDelivered({ ends }: Stage, run: string, sent: SendReport, waitMs = limitMs): Promise<void> {
  const events = sent.statuses.filter((status) => status === accepted).length;
  await ends.consumer.call('untilDelivered', { run, events, limitMs: waitMs });
}

/** What the reports of both ends say. `sinceMs` counts deliveries a second from that time, instead of from the first POST. */
export function figuresOf(sent: SendReport, arrived: ArrivalReport, sinceMs = sent.sentMs[0] ?? 0): Figures {
  const delivered = new Map<number, number>();
  let duplicated = 0;
  arrived.events.forEach((event, n) => {
    if (arrived.statuses[n] !== 200) return;
    if (delivered.has(event)) duplicated++;
    else delivered.set(event, arrived.atMs[n] ?? 0);
  });
  const acknowledged = [...sent.statuses.keys()].filter((event) => sent.statuses[event] === accepted);
  const ackMs = acknowledged.map((event) => (sent.answeredMs[event] ?? 0) - (sent.sentMs[event] ?? 0));
  const throughMs = [...delivered].map(([event, atMs]) => atMs - (sent.sentMs[event] ?? 0));
  const perSecond = (count: number, fromMs: number, toMs: number) => (count * 1000) / (toMs - fromMs);
  return {
    sent: sent.sentMs.length,
    acknowledged: acknowledged.length,
    acksPerS: perSecond(acknowledged.length, sent.sentMs[0] ?? 0, latest(sent.answeredMs)),
    ackP50Ms: percentile(ackMs, 0.5),
    ackP99Ms: percentile(ackMs, 0.99),
    eventsPerS: perSecond(delivered.size, sinceMs, latest(delivered.values())),
    p50Ms: percentile(throughMs, 0.5),
    p99Ms: percentile(throughMs, 0.99),
    lost: acknowledged.filter((event) => !delivered.has(event)).length,
    duplicated,
    cpu: null,
  };
}

/** The largest of many times; `Math.max(...)` has a limit of arguments. */
function latest(timesMs: Iterable<number>): number {
  let found = 0;
  for (const atMs of timesMs) found = Math.max(found, atMs);
  return found;
}
