import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from './clock.ts';
import { startBothEnds } from './deliver/both-ends.ts';
import { startDatabases } from './deliver/databases.ts';
import type { Figures } from './deliver/figures.ts';
import { allDelivered, figuresOf, newRun, reportOf } from './deliver/measure.ts';
import { kilobyte } from './deliver/scenario.ts';
import { type GatewayOptions, openStage, type Stage } from './deliver/stage.ts';
import { warmUp } from './deliver/warm-up.ts';
import { takeSample } from './lasting/sample.ts';
import type { SendReport } from './load/send.ts';
import { type BenchResult, ms } from './report.ts';
import { durability, temporalSettings } from './settings.ts';

export interface LastingOptions {
  gateway: GatewayOptions;
  seconds: number;
  /** Events a second. */
  rate: number;
  /** The share of the events whose first attempt the consumer answers with 500. */
  failing: number;
  connections: number;
}

const minuteS = 60;
/** Time for what the retries need after the load: the schedule's first delay, and a backlog of workflows. */
const retriesLimitMs = 300_000;
type Row = BenchResult['rows'][number];

/** Sends events at a steady rate for a long time, some of which need a retry, and reports on every minute. */
export async function benchLasting(options: LastingOptions): Promise<BenchResult> {
  const ends = await startBothEnds();
  const databases = await startDatabases({ filled: 0, checkout: options.gateway.checkout });
  try {
    const stage = await openStage({ ends, databases }, options.gateway);
    try {
      await warmUp(stage);
      const rows = await load(stage, options);
      return { settings: { ...(await durability(databases.url)), ...temporalSettings }, rows };
    } finally {
      await stage.close();
    }
  } finally {
    await databases.stop();
    await ends.stop();
  }
}

/** The events of one minute that need no retry, and the gateway at its end. */
interface Minute {
  run: string;
  sent: SendReport;
  sample: Row;
}

async function load(stage: Stage, { seconds, rate, failing, connections }: LastingOptions): Promise<Row[]> {
  // One account has both kinds of events. The consumer tells them apart by their run.
  const retriedRun = `retried${newRun()}`;
  const targets = [await stage.account('?failing=retried')];
  const send = (run: string, forSeconds: number, perSecond: number) => {
    const job = { run, targets, rate: perSecond, connections, bytes: kilobyte };
    return stage.ends.load.call('send', { ...job, events: Math.round(perSecond * forSeconds) });
  };
  const startedMs = nowMs();
  const retried = failing > 0 ? send(retriedRun, seconds, rate * failing) : null;
  const minutes: Promise<Minute>[] = [];
  for (let fromS = 0; fromS < seconds; fromS += minuteS) {
    const run = newRun();
    const toS = Math.min(seconds, fromS + minuteS);
    const sending = send(run, toS - fromS, rate * (1 - failing));
    await sleep(Math.max(0, startedMs + toS * 1000 - nowMs()));
    minutes.push(endMinute(stage, run, sending, { minute: minutes.length + 1, ...(await takeSample(stage)) }));
  }
  const ended = await Promise.all(minutes);
  const retriedRow = retried ? [await rowOfRetried(stage, retriedRun, await retried)] : [];
  // Read again at the end: a duplicate may arrive minutes after the first delivery.
  const rows = ended.map(async ({ run, sent, sample }) => rowOf(sample, figuresOf(sent, await reportOf(stage, run))));
  return [...(await Promise.all(rows)), ...retriedRow];
}

/** Waits for the deliveries of a minute, and shows its row. */
async function endMinute(stage: Stage, run: string, sending: Promise<SendReport>, sample: Row): Promise<Minute> {
  const sent = await sending;
  await allDelivered(stage, run, sent);
  const soFar = figuresOf(sent, await stage.ends.consumer.call('arrivals', { run }));
  console.error(JSON.stringify(rowOf(sample, soFar)));
  return { run, sent, sample };
}

/** The events whose first attempt failed: their times contain the delay of the schedule. */
async function rowOfRetried(stage: Stage, run: string, sent: SendReport): Promise<Row> {
  await allDelivered(stage, run, sent, retriesLimitMs);
  return rowOf({ minute: 'first attempt failed' }, figuresOf(sent, await reportOf(stage, run)));
}

const rowOf = ({ minute = '', ...sample }: Row, figures: Figures): Row => ({
  minute,
  sent: figures.sent,
  'not accepted': figures.sent - figures.acknowledged,
  'ack p99 ms': ms(figures.ackP99Ms),
  delivered: figures.delivered,
  'end to end p50 ms': ms(figures.p50Ms),
  'end to end p99 ms': ms(figures.p99Ms),
  lost: figures.lost,
  duplicated: figures.duplicated,
  ...sample,
});
