import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../clock.ts';
import { Poster, type Target } from './webhooks.ts';

export interface SendJob {
  /** Names the events: `<run>-<number>`. */
  run: string;
  targets: Target[];
  /** Null sends until the run is stopped. */
  events: number | null;
  /** Events a second, whether or not earlier ones are answered; 0 sends as fast as the connections allow. */
  rate: number;
  connections: number;
  /** The size of a body. */
  bytes: number;
}

/** The webhooks of a run, by the number of the event. */
export interface SendReport {
  /** When each was sent: see `nowMs`. */
  sentMs: Float64Array;
  /** When each was answered. */
  answeredMs: Float64Array;
  /** The status of each answer; 0 if the connection failed. */
  statuses: Float64Array;
}

/** The runs that are sending; `stop` ends those without a number of events. */
const sending = new Map<string, { stopped: boolean }>();

/** Posts events, and keeps the time of each request and answer. */
export async function send(job: SendJob): Promise<SendReport> {
  const poster = new Poster(job);
  const run = { stopped: false };
  sending.set(job.run, run);
  const [sentMs, answeredMs, statuses]: [number[], number[], number[]] = [[], [], []];
  const more = () => !run.stopped && sentMs.length < (job.events ?? Number.POSITIVE_INFINITY);
  const post = async () => {
    const number = sentMs.length;
    sentMs.push(nowMs());
    // A connection that fails is a webhook without an acknowledgement, not the end of the run.
    const status = await poster.post(job.run, number).catch(() => 0);
    answeredMs[number] = nowMs();
    statuses[number] = status;
  };
  if (job.rate > 0) await atRate(job.rate, more, post);
  else await Promise.all(Array.from({ length: job.connections }, () => sequentially(more, post)));
  await poster.close();
  sending.delete(job.run);
  return {
    sentMs: Float64Array.from(sentMs),
    answeredMs: Float64Array.from(answeredMs),
    statuses: Float64Array.from(statuses),
  };
}

export function stop({ run }: { run: string }): void {
  const sender = sending.get(run);
  if (sender) sender.stopped = true;
}

/** One connection: each request waits for the answer to the one before. */
async function sequentially(more: () => boolean, post: () => Promise<void>): Promise<void> {
  while (more()) await post();
}

async function atRate(rate: number, more: () => boolean, post: () => Promise<void>): Promise<void> {
  const startedMs = nowMs();
  const posts: Promise<void>[] = [];
  while (more()) {
    const due = Math.floor(((nowMs() - startedMs) * rate) / 1000) + 1;
    while (posts.length < due && more()) posts.push(post());
    await sleep(Math.max(1, startedMs + (posts.length * 1000) / rate - nowMs()));
  }
  await Promise.all(posts);
}
