import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../database.ts';
import { folderForTest } from '../folder-for-test.ts';
import { listen } from '../listen.ts';
import { queryOnce } from '../one-connection.ts';
import { rawRequest } from '../raw-http.ts';
import { log } from '../runtime.ts';
import {
  addressMarker,
  payloadMarker,
  randomSecretsKey,
  secretBase64,
  secretMarker,
  secretText,
  secretWhsec,
} from '../secrets.ts';
import { leaksInDatabase } from './database.ts';
import { leaksInFolder } from './files.ts';
import { allKinds, formsOf, type Leak, leaksIn, reportOf } from './markers.ts';
import { takeLeaks, watch, watchAnswersOf } from './watch.ts';

const placesOf = (leaks: Leak[]) => leaks.map(({ kind, place }) => `${kind}: ${place}`);

test.each([
  ['in plain text', secretMarker],
  ['in JSON', JSON.stringify({ text: `"${secretText('x')}"` })],
  ['in a URL', encodeURIComponent(`/${secretText('x')}?`)],
  ['in small letters', secretText('x').toLowerCase()],
  ['as hex', Buffer.from(`x${secretMarker}x`).toString('hex')],
  ...[0, 1, 2, 3].flatMap((n): [string, string][] => {
    const bytes = Buffer.from(`${'x'.repeat(n)}${secretMarker}${'y'.repeat(n)}`);
    return [
      [`as base64 after ${n} bytes`, bytes.toString('base64')],
      [`as base64url after ${n} bytes`, bytes.toString('base64url')],
    ];
  }),
  ['as a whole secret in base64', secretBase64()],
  ['as a secret of Standard Webhooks', secretWhsec()],
  ['as SECRETS_KEY', randomSecretsKey().toString('base64')],
])('a secret is found %s', (_, text) => {
  expect(leaksIn('a log', `before ${text} after`, allKinds)).toMatchObject([{ kind: 'secret', place: 'a log' }]);
  expect(leaksIn('a log', Buffer.from(`before ${text} after`), allKinds)).toHaveLength(1);
});

test('incomplete markers are not found, and each kind is found only if it is searched for', () => {
  expect(leaksIn('a log', `${secretMarker.slice(1)} ${payloadMarker.slice(0, -1)}`, allKinds)).toEqual([]);
  expect(leaksIn('a log', payloadMarker, ['secret'])).toEqual([]);
  expect(leaksIn('a log', payloadMarker, allKinds)).toMatchObject([{ kind: 'payload' }]);
  for (const form of [secretMarker, addressMarker, payloadMarker].flatMap(formsOf))
    expect(form).toMatch(/^[A-Za-z0-9]{15,}$/);
});

test('a report has the place and the surrounding text', () => {
  const report = reportOf(leaksIn('answer of GET /x', `{"a":"${secretText('smtp')}"}\n`, allKinds));
  expect(report).toBe(`a secret of the tests stands in: answer of GET /x\n    …{"a":"${secretText('smtp')}"}·…`);
});

test('logs of gateways in this process are searched at all levels, including errors', () => {
  log.trace({ err: new Error(`no user ${secretText()}`) }, 'not let in');
  log.debug({ body: payloadMarker }, 'sent');
  log.debug({ id: 1 }, 'sent');
  expect(takeLeaks()).toMatchObject([
    { kind: 'secret', place: expect.stringMatching(/^the log, in 'logs of gateways in this process/) },
    { kind: 'payload' },
  ]);
  watch('standard error', 'nothing');
  expect(takeLeaks()).toEqual([]);
});

test('answers of gateways are searched: headers, bodies in pieces, unread bodies; payloads are allowed', async () => {
  const half = Math.floor(secretMarker.length / 2);
  const server = createServer(async (request, response) => {
    if (request.url === '/headers') response.setHeader('x-secret', secretText());
    if (request.url === '/body') {
      response.write(secretMarker.slice(0, half));
      await sleep(20);
      response.write(secretMarker.slice(half));
    }
    response.end(payloadMarker);
  });
  onTestFinished(() => void server.close());
  const port = await listen(server);
  const baseUrl = `http://127.0.0.1:${port}`;
  await (await fetch(`${baseUrl}/body`)).text();
  expect(takeLeaks()).toEqual([]);
  const stopWatching = watchAnswersOf(baseUrl);
  for (const path of ['/body', '/headers', '/neither?a=b']) await (await fetch(`${baseUrl}${path}`)).text();
  const byFetch = placesOf(takeLeaks());
  expect(byFetch).toEqual([
    expect.stringContaining('secret: answer of GET /body'),
    expect.stringContaining('secret: answer of GET /headers (headers)'),
  ]);
  for (const path of ['/body', '/headers', '/neither?a=b']) await rawRequest(baseUrl, { method: 'GET', path });
  expect(takeLeaks()).toHaveLength(2);
  stopWatching();
  await (await fetch(`${baseUrl}/body`)).text();
  expect(takeLeaks()).toEqual([]);
});

test('files are searched: unpacked backups, the outbox, logs; payloads are allowed in backups', () => {
  const folder = folderForTest();
  for (const name of ['outbox', 'secrets', 'postgres/data']) mkdirSync(join(folder, name), { recursive: true });
  const files = {
    'a.sql.gz': gzipSync(`row ${secretText()}`),
    'b.sql.gz': gzipSync(`row ${payloadMarker}`),
    'damaged.sql.gz': Buffer.from(`no archive ${secretText()}`),
    'outbox/mail.eml': payloadMarker,
    'postgres.log': secretText(),
    'secrets/admin-token': secretText(),
    'postgres/data/1': secretText(),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  expect(placesOf(leaksInFolder(folder)).sort()).toEqual([
    'payload: the file outbox/mail.eml',
    'secret: the file a.sql.gz',
    'secret: the file damaged.sql.gz',
    'secret: the file postgres.log',
  ]);
  expect(leaksInFolder(join(folder, 'nowhere'))).toEqual([]);
});

test('the database of Temporal is searched; a file that is not a database is skipped', () => {
  const folder = folderForTest();
  const database = new DatabaseSync(join(folder, 'temporal.db'));
  database.exec('create table history_node (data blob); create table executions (workflow_id text, memo text)');
  database.prepare('insert into history_node values (?)').run(Buffer.from(`\n\x12{"body":"${payloadMarker}"}`));
  database.prepare(`insert into executions values ('event-1', ?)`).run(secretText());
  database.close();
  expect(placesOf(leaksInFolder(folder))).toEqual([
    "payload: Temporal's history_node.data",
    "secret: Temporal's executions.memo of the workflow event-1",
  ]);
  writeFileSync(join(folder, 'temporal.db'), 'no database at all'.repeat(1000));
  expect(leaksInFolder(folder)).toEqual([]);
});

test('databases are searched, except for the payloads of events', async () => {
  const url = await freshDatabase();
  await queryOnce(
    url,
    `create table audit_logs as select '{"token": "${secretText()}"}'::jsonb as details;
     create table accounts as select '${Buffer.from(secretText()).toString('hex')}' as secret;
     create table delivery_attempts as select '${payloadMarker}' as response_body;
     create table events as select '${payloadMarker}' as last_error;
     create table event_payloads as select '${payloadMarker} ${secretText()}' as body`,
  );
  const places = placesOf(await leaksInDatabase(url, 'x')).sort();
  // Otherwise the check after the run would find them too.
  await queryOnce(url, 'drop table audit_logs, accounts, delivery_attempts, events, event_payloads');
  expect(places).toEqual([
    'payload: events of the database x',
    'secret: accounts of the database x',
    'secret: audit_logs of the database x',
  ]);
});
