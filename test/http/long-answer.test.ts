import { once } from 'node:events';
import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { BodyBudget } from '../../src/http/bodies/body-budget.ts';
import { BodyReader } from '../../src/http/bodies/body-reader.ts';
import { type LongCall, longAnswer } from '../../src/http/long-answer.ts';
import { Problem } from '../../src/http/problem.ts';
import { serve } from '../../src/http/serve.ts';
import { stoppingProblem } from '../../src/http/stopping.ts';
import { log } from '../support/runtime.ts';
import { forTest } from '../support/use.ts';

/** Serves calls that take as long as the test wants, and returns one response. */
async function called(path: string, accept = 'application/json') {
  const work = Promise.withResolvers<{ deleted: number }>();
  const started = Promise.withResolvers<LongCall<{ deleted: number }>>();
  const failures: Problem[] = [];
  const draining = new AbortController();
  const app = {
    compile: () => undefined,
    async fetch(given: Request) {
      const answer = await longAnswer(given, {
        draining: draining.signal,
        run(call: LongCall<{ deleted: number }>) {
          started.resolve(call);
          return work.promise;
        },
        async failed(error: unknown) {
          const problem = error instanceof Problem ? error : new Problem('internal', 'it failed');
          failures.push(problem);
          return problem;
        },
        ...{ quickMs: 20, keepAliveMs: 20 },
      });
      return answer;
    },
  };
  const bodies = new BodyReader({ budget: new BodyBudget(1), clientAddress: () => '' });
  const server = await forTest(serve(app, { host: '127.0.0.1', port: 0, bodies, maxConnections: 10, log }));
  const sent = request({ host: '127.0.0.1', port: server.port, path, headers: { accept } });
  sent.end();
  onTestFinished(() => {
    sent.destroy();
  });
  const [response] = await once(sent, 'response');
  response.setEncoding('utf8');
  return { work, failures, draining, response, started: await started.promise };
}

test('a call that takes long sends spaces before its JSON, so that no proxy ends it', async () => {
  const { work, response } = await called('/');
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json']);
  const text: string[] = [];
  response.on('data', (part: string) => {
    text.push(part);
    if (text.length === 2) work.resolve({ deleted: 7 });
  });
  await once(response, 'end');
  expect(text.join('')).toMatch(/^ {2,}\{"deleted":7\}$/);
});

test('a call that fails after its head was sent breaks the connection', async () => {
  const { work, response, failures } = await called('/');
  response.resume();
  work.reject(new Error('no database'));
  await expect(once(response, 'end')).rejects.toThrow(/aborted/);
  expect(failures).toHaveLength(1);
});

test('a call is aborted when the gateway stops, and its stream ends with the problem', async () => {
  const { work, response, started, draining } = await called('/', 'text/event-stream');
  started.signal.addEventListener('abort', () => work.reject(started.signal.reason));
  draining.abort(stoppingProblem());
  let text = '';
  for await (const part of response) text += part;
  expect(text).toMatch(/event: problem\ndata: \{.*"code":"stopping"/);
});

test('progress is reported between comments that keep the connection open', async () => {
  const { work, response, started } = await called('/', 'text/event-stream');
  started.progress({ deleted: 20_000 });
  let text = '';
  for await (const part of response) {
    text += part;
    if (/: keep-alive/.test(text)) work.resolve({ deleted: 20_001 });
  }
  expect(text).toMatch(/event: progress\ndata: \{"deleted":20000\}\n\n/);
  expect(text).toMatch(/event: result\ndata: \{"deleted":20001\}\n\n$/);
});
