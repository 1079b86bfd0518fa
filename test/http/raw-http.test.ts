import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { illegalCases } from '../fuzz/raw/illegal-cases.ts';
import { incompleteCases } from '../fuzz/raw/incomplete-cases.ts';
import { type Judged, judgeHalfClosed, judgeIllegal, judgeIncomplete, judgeLegal } from '../fuzz/raw/judge.ts';
import { legalCases } from '../fuzz/raw/legal-cases.ts';
import { length, message, simple, type Target, targetsOf } from '../fuzz/raw/message.ts';
import { talk } from '../fuzz/raw/talk.ts';
import { useGateway } from '../support/use-gateway.ts';

// `npm run fuzz` sends the same cases, cut at random places and among others.

let targets: Target[];
let judged: Judged;
const gateway = useGateway({ worker: false });
beforeAll(async () => {
  const { account_slug } = await gateway.admin.createAccount({});
  targets = targetsOf({ slug: account_slug, adminToken: gateway.adminToken });
  const [ingestion] = targets;
  if (!ingestion) throw new Error('there is no target');
  judged = { baseUrl: gateway.baseUrl, ingestion, stored };
});

async function stored(marker: string): Promise<Buffer[]> {
  const text = 'select body from event_payloads where position($1::bytea in body) > 0';
  const found = await gateway.rows(text, [Buffer.from(marker, 'latin1')]);
  return found.map(({ body }) => body);
}

/** What is wrong at each target. */
async function atEach(only: readonly string[] | undefined, judge: (target: Target) => Promise<string[]>) {
  const asked = targets.filter(({ name }) => only?.includes(name) ?? true);
  const found = await Promise.all(asked.map(async (target) => [target.name, await judge(target)] as const));
  return found.filter(([, wrong]) => wrong.length > 0);
}

describe('legal HTTP is served', () => {
  test.each(legalCases)('$name', async (it) => {
    expect(await atEach(it.only, (target) => judgeLegal(judged, it, target))).toEqual([]);
    expect(await atEach(it.only, (target) => judgeHalfClosed(judged, it, target))).toEqual([]);
  });
});

describe('illegal HTTP ends the connection, and nothing of it is stored', () => {
  test.each(illegalCases)('$name', async (it) => {
    expect(await atEach(undefined, (target) => judgeIllegal(judged, it, target))).toEqual([]);
    expect(await atEach(['ingestion'], (target) => judgeIllegal(judged, it, target, { before: 2 }))).toEqual([]);
  });
});

describe('of a request that ends too early, nothing is stored', () => {
  test.each(incompleteCases)('$name', async (it) => {
    expect(await atEach(undefined, (target) => judgeIncomplete(judged, it, target, 'half-close'))).toEqual([]);
    expect(await atEach(undefined, (target) => judgeIncomplete(judged, it, target, 'reset'))).toEqual([]);
  });
});

test('a whole webhook is answered before illegal bytes that came with it', async () => {
  const sent = `${simple(judged.ingestion, 'raw-before-junk')}junk`;
  const { answers, end } = await talk(gateway.baseUrl, [Buffer.from(sent)]);
  expect([answers.map(({ status }) => status), end]).toEqual([[202, 400], 'closed']);
  expect(await stored('raw-before-junk')).toHaveLength(1);
});

test('a request that was answered before its body is not answered again when the body breaks off', async () => {
  const sent = message(judged.ingestion, [length('abc')], 'a', { path: '/nothing/here/at-all' });
  const { answers } = await talk(gateway.baseUrl, [Buffer.from(sent), 'answered', 'half-close']);
  expect(answers.map(({ status }) => status)).toEqual([404]);
});

describe('a client that is still sending when it has its last answer is not reset', () => {
  const close = ['Connection: close'];
  test.each([
    [
      'a body that is not read',
      () => message(judged.ingestion, [...close, length('0123456789')], '', { path: '/nothing' }),
    ],
    [
      'bytes behind the last request',
      () => message({ ...judged.ingestion, method: 'GET', path: '/health/live' }, close),
    ],
  ])('%s', async (_, head) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(gateway.baseUrl).port), allowHalfOpen: true });
    const broken: unknown[] = [];
    socket.on('error', (error) => broken.push(error));
    socket.write(head());
    // The answer is here, and the client has not read it: it writes first.
    await once(socket, 'readable');
    for (const part of ['01234', '56789', 'more']) {
      await sleep(50);
      await new Promise((done) => socket.write(part, done));
    }
    const parts: Buffer[] = await socket.toArray();
    socket.end();
    await once(socket, 'close');
    expect(Buffer.concat(parts).toString()).toMatch(/^HTTP\/1\.1 (404|200) /);
    expect(broken).toEqual([]);
  });
});
