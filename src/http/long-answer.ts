import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientSignal } from './client-signal.ts';
import { streamedAnswer } from './direct-answer.ts';
import type { Problem } from './problem.ts';

/** Longer than a database that does not respond delays the first error (10 s), so that this error has its status. */
const quickMs = 15_000;
/** Proxies end a response of which they have received nothing for a minute. */
const keepAliveMs = 15_000;
/** Shortest time between two reports of progress. */
const progressMs = 250;

/** What the work of a long call is given. */
export interface LongCall<Progress> {
  /** Aborted when the client has gone, or the process is about to stop. The work ends by throwing its reason. */
  signal: AbortSignal;
  /** Reports how far the work is. Sent only to a client that streams. */
  progress(now: Progress): void;
}

/**
 * Answers a call that may take minutes, also through proxies that end silent responses. The call ends with its client.
 *
 * - A client that accepts `text/event-stream` gets messages: `progress`, and last `result` or `problem`.
 * - Any other client gets the result as JSON. After 15 s the head is sent, with the status 200, and then spaces, which
 *   JSON allows before a value. A later failure breaks the connection, because the status cannot change any more.
 *
 * @param options.draining aborted when the process is about to stop, with the problem to answer
 * @param options.run the work; throws, before it returns a promise, for a call that is not admitted
 * @param options.failed records a failure after the head was sent, and returns its problem; never rejects
 * @param options.quickMs shorter in tests, like `keepAliveMs`
 * @returns what the route's handler must return. The work may still go on then.
 * @throws what the work throws before the head is sent.
 */
export async function longAnswer<Result, Progress>(
  request: Request,
  options: {
    draining: AbortSignal;
    run(call: LongCall<Progress>): Promise<Result>;
    failed(error: unknown): Promise<Problem>;
    quickMs?: number;
    keepAliveMs?: number;
  },
): Promise<Response> {
  const streams = /\btext\/event-stream\b/i.test(request.headers.get('accept') ?? '');
  const format = streams ? messages : spacedJson;
  let response: ServerResponse | null = null;
  /** Reported and not sent yet. */
  let reported: Progress | null = null;
  let sentAtMs = Number.NEGATIVE_INFINITY;
  const sendProgress = () => {
    const nowMs = performance.now();
    if (!format.progress || reported === null || response === null || nowMs - sentAtMs < progressMs) return;
    sentAtMs = nowMs;
    response.write(format.progress(reported));
    reported = null;
  };
  const signal = AbortSignal.any([clientSignal(request), options.draining]);
  const work = options.run({
    signal,
    progress(now) {
      reported = now;
      sendProgress();
    },
  });
  if (!streams) {
    const waited = new AbortController();
    const late = sleep(options.quickMs ?? quickMs, null, { signal: waited.signal }).catch(() => null);
    const quick = await Promise.race([work.then((result) => ({ result })), late]).finally(() => waited.abort());
    if (quick) return Response.json(quick.result);
  }
  // Begins before the stream is opened, which does not happen if the client has left.
  const last = work.then(
    (result) => (to: ServerResponse) => to.end(format.result(result)),
    async (error: unknown) => {
      const problem = await options.failed(error);
      return (to: ServerResponse) => (format.problem ? to.end(format.problem(problem)) : to.destroy());
    },
  );
  return streamedAnswer(request, {
    headers: { 'content-type': format.contentType, 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    open(opened) {
      response = opened;
      sendProgress();
      const alive = setInterval(() => opened.write(format.keepAlive), options.keepAliveMs ?? keepAliveMs);
      opened.once('close', () => clearInterval(alive));
      void last.then((end) => end(opened));
    },
  });
}

/** How a long answer is written. */
interface Format {
  contentType: string;
  /** Written while there is nothing else to say. */
  keepAlive: string;
  /** Null: progress is not shown. */
  progress: ((now: unknown) => string) | null;
  result(result: unknown): string;
  /** Null: a failure breaks the connection. */
  problem: ((problem: Problem) => string) | null;
}

/** Spaces, and then the result as JSON. */
const spacedJson: Format = {
  contentType: 'application/json',
  keepAlive: ' ',
  progress: null,
  result: (result) => JSON.stringify(result),
  problem: null,
};

const message = (name: string, json: string) => `event: ${name}\ndata: ${json}\n\n`;

/** Server-sent events. */
const messages: Format = {
  contentType: 'text/event-stream',
  keepAlive: ': keep-alive\n\n',
  progress: (now) => message('progress', JSON.stringify(now)),
  result: (result) => message('result', JSON.stringify(result)),
  problem: (problem) => message('problem', problem.body()),
};
