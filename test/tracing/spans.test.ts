import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { Batcher } from '../../src/database/batcher.ts';
import { createLog } from '../../src/shared/log.ts';
import {
  activeSpan,
  activeTraceparent,
  detached,
  inBatch,
  inSpan,
  inStatementSpan,
  logIds,
  type SpanStart,
  type TracedSpan,
} from '../../src/telemetry/tracing/spans.ts';
import { startTracing } from '../../src/telemetry/tracing/start-tracing.ts';
import { folderForTest } from '../support/folder-for-test.ts';
import { secretText } from '../support/secrets.ts';
import { newAuthority } from '../support/tls/certificates.ts';
import { until } from '../support/until.ts';
import { collectorForTest } from './collector.ts';
import { tracedForTest, tracingForTest } from './tracing-here.ts';

const start =
  (name: string, more: Partial<SpanStart> = {}) =>
  (): SpanStart => ({
    ...{ name, kind: 'internal', attributes: {} },
    ...more,
  });
const statement = { name: 'read_things', text: 'select $1' };

/** A span that lasts until it is ended, with its context. */
function open(name: string) {
  const ending = Promise.withResolvers<void>();
  const inside = Promise.withResolvers<{ span: TracedSpan | null; run: <T>(work: () => T) => T }>();
  const ended = inSpan(start(name), async (span) => {
    const { AsyncResource } = await import('node:async_hooks');
    const resource = new AsyncResource('test');
    inside.resolve({ span, run: (work) => resource.runInAsyncScope(work) });
    await ending.promise;
  });
  const end = () => {
    ending.resolve();
    return ended;
  };
  return { inside: inside.promise, end };
}

test('without tracing, work gets no span and nothing is described', async () => {
  const never = () => {
    throw new Error('described');
  };
  expect(await inSpan(never, async (span) => span)).toBeNull();
  expect(await inStatementSpan(statement, async () => 'result')).toBe('result');
  expect([activeSpan(), activeTraceparent(), logIds()]).toEqual([null, null, {}]);
  expect(detached(() => 'result')).toBe('result');
  expect(await inBatch([{ span: null }], async () => 'result')).toBe('result');
});

test('statements are children of the active span; an error leaves its code and no text', async () => {
  const collector = await tracedForTest();
  const failure = Object.assign(new Error(`duplicate key (${secretText('row')})`), { code: '23505' });
  const failing = inSpan(start('outer'), async () => {
    await inStatementSpan({ name: '', text: '  insert into things' }, async () => undefined);
    await inStatementSpan(statement, () => Promise.reject(failure));
  });
  await expect(failing).rejects.toBe(failure);
  // No active span: no span.
  await inStatementSpan(statement, async () => undefined);
  const [outer] = await collector.received('the span', ({ name }) => name === 'outer');
  expect(outer).toMatchObject({ status: 2, attributes: { 'error.type': '23505' }, parentSpanId: '' });
  const children = collector.spans.filter(({ parentSpanId }) => parentSpanId === outer?.spanId);
  expect(children.map(({ name, status, attributes }) => [name, status, attributes])).toEqual([
    ['insert', 0, { 'db.system.name': 'postgresql', 'db.query.summary': 'insert' }],
    ['read_things', 2, expect.objectContaining({ 'db.response.status_code': '23505', 'error.type': '23505' })],
  ]);
  expect(collector.spans.length).toBe(3);
  expect(collector.requests.map(({ text }) => text).join()).not.toContain(secretText('row'));
});

test('a statement of many calls is a child of the first sampled one and links to the others', async () => {
  const collector = await tracedForTest({ TRACES_PER_SECOND: '0' });
  const batcher = new Batcher<number, number>(
    async (items) => {
      await inStatementSpan(statement, async () => undefined);
      return items;
    },
    { maxBatch: 1_000, maxRunning: 1 },
  );
  const calls = Array.from({ length: 200 }, (_, n) => inSpan(start(`call ${n}`), () => batcher.add(n)));
  const untraced = batcher.add(200);
  expect(await Promise.all([...calls, untraced])).toEqual(Array.from({ length: 201 }, (_, n) => n));
  // A batch without a traced call has no span, whatever the context in which it runs.
  await batcher.add(1);
  await collector.received('all calls', ({ name }) => name.startsWith('call'), 200);
  const statements = collector.spans.filter(({ name }) => name === 'read_things');
  expect(statements.length).toBe(1);
  const [read] = statements;
  expect(read?.parentSpanId).toBe(collector.spans.find(({ name }) => name === 'call 0')?.spanId);
  expect(read?.links.length).toBe(128);
  expect(read?.attributes['db.operation.batch.size']).toBe(201);
});

test('what a span leaves behind is no part of it', async () => {
  const collector = await tracedForTest();
  const { inside, end } = open('outer');
  const { run, span } = await inside;
  expect(run(activeTraceparent)).toBe(span?.traceparent);
  expect(run(() => detached(activeTraceparent))).toBeNull();
  await run(() => inSpan(start('another'), async () => undefined));
  await end();
  await run(() => inStatementSpan(statement, async () => undefined));
  expect(run(activeSpan)).toBeNull();
  await collector.received('both', ({ name }) => ['outer', 'another'].includes(name), 2);
  expect(collector.spans.map(({ name, parentSpanId }) => [name, parentSpanId]).toSorted()).toEqual([
    ['another', ''],
    ['outer', ''],
  ]);
});

const foreign = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const foreignHeader = `00-${foreign.traceId}-${foreign.spanId}-01`;

test.each([
  ['00-00000000000000000000000000000000-b7ad6b7169203331-01'],
  ['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01'],
  ['ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
  [`${foreignHeader}, ${foreignHeader}`],
  [`${foreignHeader}-more`],
  ['x'.repeat(8_000)],
  [''],
])('a sender with the traceparent %.60s is ignored', async (traceparent) => {
  const collector = await tracedForTest({ TRACE_CONTINUE_INBOUND: 'true' });
  await inSpan(start('webhook', { sender: { traceparent, tracestate: 'a=b' } }), async () => undefined);
  const [webhook] = await collector.received('the span', () => true);
  expect(webhook).toMatchObject({ parentSpanId: '', links: [] });
  expect(webhook?.traceId).not.toBe(foreign.traceId);
});

test('a link to the sender has its ids, and not its trace state, which is any text', async () => {
  const collector = await tracedForTest();
  const sender = { traceparent: foreignHeader, tracestate: `v=${secretText('state')}` };
  await inSpan(start('webhook', { sender }), async () => undefined);
  const [webhook] = await collector.received('the span', () => true);
  expect(webhook?.links).toEqual([foreign]);
  expect(collector.requests.map(({ text }) => text).join()).not.toContain(secretText('state'));
});

test.each([
  { flags: '01', spans: 1 },
  { flags: '00', spans: 0 },
])('TRACE_CONTINUE_INBOUND: a sender with the flags $flags decides', async ({ flags, spans }) => {
  const collector = await collectorForTest();
  const tracing = await tracingForTest({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    TRACE_CONTINUE_INBOUND: 'true',
  });
  const traceparent = `00-${foreign.traceId}-${foreign.spanId}-${flags}`;
  const stored = await inSpan(start('webhook', { sender: { traceparent, tracestate: 'a=b' } }), async () =>
    activeTraceparent(),
  );
  expect(stored).toMatch(new RegExp(`^00-${foreign.traceId}-[0-9a-f]{16}-${flags}$`));
  await tracing.stop();
  expect(collector.spans.map(({ traceId, parentSpanId, links }) => ({ traceId, parentSpanId, links }))).toEqual(
    Array(spans).fill({ traceId: foreign.traceId, parentSpanId: foreign.spanId, links: [] }),
  );
});

test('without sampling, ids are passed on with the flag 00, and nothing is sent', async () => {
  const collector = await collectorForTest();
  const tracing = await tracingForTest({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  const [headers, ids] = await inSpan(start('webhook'), async (span) => {
    await inStatementSpan(statement, async () => undefined);
    return [span?.headers, logIds()];
  });
  expect(headers).toEqual([['traceparent', expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)]]);
  expect(ids).toMatchObject({ trace_flags: '00' });
  await tracing.stop();
  expect(collector.requests).toEqual([]);
});

test('OTEL_PROPAGATORS=none: requests carry no trace header', async () => {
  await tracedForTest({ OTEL_PROPAGATORS: 'none' });
  expect(await inSpan(start('attempt'), async (span) => span?.headers)).toEqual([]);
});

test('log lines of a span have its ids; others have none', async () => {
  await tracedForTest();
  const lines: Record<string, unknown>[] = [];
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) }, logIds);
  log.info({ n: 1 }, 'outside');
  const traceparent = await inSpan(start('inside'), async (span) => {
    log.info({ n: 2 }, 'inside');
    return span?.traceparent;
  });
  expect(lines[0]).not.toHaveProperty('trace_id');
  const { trace_id, span_id, trace_flags } = lines[1] ?? {};
  expect(`00-${trace_id}-${span_id}-${trace_flags}`).toBe(traceparent);
});

test('a collector that refuses spans is told of once, without its answer and the headers', async () => {
  const collector = await collectorForTest();
  collector.status = 401;
  const lines: string[] = [];
  const tracing = await tracingForTest(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint.replace('http://', `http://user:${secretText('url')}@`),
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secretText('collector')}`,
    },
    { log: createLog('info', { write: (line) => void lines.push(line) }) },
  );
  for (let n = 1; n <= 3; n++) {
    await inSpan(start('span'), async () => undefined);
    await until('it was sent', () => collector.requests.length >= n);
  }
  await tracing.stop();
  const warnings = lines.filter((line) => line.includes('"level":40'));
  expect(warnings.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      msg: 'traces not exported',
      reason: 'HTTP 401',
      collector: new URL(collector.endpoint).host,
    }),
  ]);
  expect(lines.join()).not.toContain(secretText().slice(0, 12));
});

test('a collector that never answers neither holds up the work, nor the queue, nor the end', async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const lines: string[] = [];
  const { port } = server.address() as AddressInfo;
  const { tracing } = readConfig('all', {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    // Ten minutes: only the limit of the gateway's own ends the wait.
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
    OTEL_BSP_EXPORT_TIMEOUT: '600000',
    OTEL_BSP_MAX_QUEUE_SIZE: '100',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
    OTEL_BSP_SCHEDULE_DELAY: '1',
  });
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const running = await startTracing(tracing, { role: 'all', log });
  for (let n = 0; n < 5_000; n++) await inSpan(start('span'), async () => undefined);
  await running.stop();
  expect(lines.join('')).toContain('the collector did not take the last spans in time');
});

test('certificates that cannot be used end the start, with their variable', async () => {
  const folder = folderForTest();
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const authority = await newAuthority();
  const [mine, other] = [await authority.issue({}), await authority.issue({})];
  const garbage = file('garbage.pem', 'garbage');
  const [cert, key] = [file('cert.pem', mine.cert), file('key.pem', other.key)];
  const client = (more: Record<string, string>) => ({
    ...{ OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: cert, OTEL_EXPORTER_OTLP_CLIENT_KEY: key },
    ...more,
  });
  const cases: [Record<string, string>, RegExp][] = [
    [
      { OTEL_EXPORTER_OTLP_CERTIFICATE: '/no/such/ca.pem' },
      /CERTIFICATE cannot be read: \/no\/such\/ca\.pem \(ENOENT\)/,
    ],
    [{ OTEL_EXPORTER_OTLP_CERTIFICATE: garbage }, /CERTIFICATE holds no certificate in PEM/],
    [client({ OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: garbage }), /CLIENT_CERTIFICATE holds no certificate in PEM/],
    [client({ OTEL_EXPORTER_OTLP_CLIENT_KEY: garbage }), /CLIENT_KEY holds no private key in PEM/],
    [client({}), /CLIENT_KEY does not belong to the certificate/],
  ];
  for (const [variables, says] of cases)
    await expect(tracingForTest({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://127.0.0.1:9', ...variables })).rejects.toThrow(
      says,
    );
});
