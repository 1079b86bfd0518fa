import { createServer, type ServerResponse } from 'node:http';
import { listen } from '../../support/listen.ts';
import { offer } from '../calls.ts';
import { nowMs } from '../clock.ts';
import { Arrivals, ofConsumer } from './arrivals.ts';

/**
 * The consumer of a benchmark, a process of its own. It keeps the time of every delivery, and reports them when it is
 * asked. A query says how it answers: `?delay-ms=1000` after that time, `?failing=x` with 500 to the first attempt of each
 * event whose run begins with `x`. With `?consumer=x`, deliveries are counted as those of the consumer `x`.
 */
const runs = new Map<string, Arrivals>();

function runOf(name: string): Arrivals {
  const run = runs.get(name) ?? new Arrivals();
  runs.set(name, run);
  return run;
}

/** Records a delivery of the event `<run>-<number>`, and says which status it is answered with. */
function arrived(id: string, query: URLSearchParams): number {
  const dash = id.lastIndexOf('-');
  const run = id.slice(0, dash);
  const [failing, consumer] = [query.get('failing'), query.get('consumer')];
  return runOf(consumer === null ? run : ofConsumer(run, consumer)).add(
    Number(id.slice(dash + 1)),
    nowMs(),
    failing !== null && run.startsWith(failing),
  );
}

const answer = (response: ServerResponse, status: number) => response.writeHead(status, { 'content-length': 0 }).end();

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const id = request.headers['x-webhook-external-id'];
    // The bare exchange: it comes from the load generator, which measures it.
    if (typeof id !== 'string') return answer(response, 202);
    const query = new URLSearchParams((request.url ?? '').split('?')[1]);
    const status = arrived(id, query);
    const delayMs = Number(query.get('delay-ms'));
    if (delayMs > 0) setTimeout(answer, delayMs, response, status);
    else answer(response, status);
  });
});

const calls = {
  /** Listens on a free port of the loopback address. */
  listen: () => listen(server),

  /** Resolves when all these events of a run have been delivered, or after `limitMs`. */
  untilDelivered: ({ run, events, limitMs }: { run: string; events: Float64Array; limitMs: number }) =>
    runOf(run).until(events, limitMs),

  /** The deliveries of a run so far. */
  arrivals: ({ run }: { run: string }) => runOf(run).report(),

  forget: ({ run }: { run: string }) => runs.delete(run),
};

export type ConsumerCalls = typeof calls;
offer(calls);
