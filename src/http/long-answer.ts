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
  const format = streams ? new Messages<Progress>() : new SpacedJson();
  const signal = AbortSignal.any([clientSignal(request), options.draining]);
  const work = options.run({ signal, progress: (now) => format.progress(now) });
  if (!streams) {
    const waited = new AbortController();
    const late = sleep(options.quickMs ?? quickMs, null, { signal: waited.signal }).catch(() => null);
    const quick = await Promise.race([work.then((result) => ({ result })), late]).finally(() => waited.abort());
    if (quick) return Response.json(quick.result);
  }
  // Begins before the stream is opened, which does not happen if the client has left.
  const last = work.then(
    (result) => () => format.end(result),
    async (error: unknown) => {
      const problem = await options.failed(error);
      return () => format.fail(problem);
    },
  );
  return streamedAnswer(request, {
    headers: { ...format.headers, 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    open(response) {
      format.open(response);
      const alive = setInterval(() => format.keepAlive(), options.keepAliveMs ?? keepAliveMs);
      response.once('close', () => clearInterval(alive));
      void last.then((end) => end());
    },
  });
}

/** Spaces, and then the result as JSON. */
class SpacedJson {
  readonly headers: Record<string, string> = { 'content-type': 'application/json' };
  #response: ServerResponse | null = null;

  open(response: ServerResponse): void {
    this.#response = response;
  }

  progress(_: unknown): void {}

  keepAlive(): void {
    this.#response?.write(' ');
  }

  end(result: unknown): void {
    this.#response?.end(JSON.stringify(result));
  }

  fail(_: Problem): void {
    this.#response?.destroy();
  }
}

/** Server-sent events. */
class Messages<Progress> {
  readonly headers: Record<string, string> = { 'content-type': 'text/event-stream' };
  #response: ServerResponse | null = null;
  /** Reported and not sent yet. */
  #reported: Progress | null = null;
  #sentAtMs = Number.NEGATIVE_INFINITY;

  open(response: ServerResponse): void {
    this.#response = response;
    this.#sendProgress();
  }

  progress(now: Progress): void {
    this.#reported = now;
    this.#sendProgress();
  }

  keepAlive(): void {
    this.#response?.write(': keep-alive\n\n');
  }

  end(result: unknown): void {
    this.#response?.end(message('result', JSON.stringify(result)));
  }

  fail(problem: Problem): void {
    this.#response?.end(message('problem', problem.body()));
  }

  #sendProgress(): void {
    const nowMs = performance.now();
    if (this.#reported === null || this.#response === null || nowMs - this.#sentAtMs < progressMs) return;
    this.#sentAtMs = nowMs;
    this.#response.write(message('progress', JSON.stringify(this.#reported)));
    this.#reported = null;
  }
}

const message = (name: string, json: string) => `event: ${name}\ndata: ${json}\n\n`;
