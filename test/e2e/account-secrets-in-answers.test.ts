import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Connection, WorkflowClient } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDirectoryStore } from '../../src/backups/directory-store.ts';
import { backUp } from '../backups/support.ts';
import { type Consumer, type Delivery, startConsumer } from '../support/consumer.ts';
import { folderForTest } from '../support/folder-for-test.ts';
import { slowDelaysMs } from '../support/gateway.ts';
import { textsIn } from '../support/history.ts';
import { everythingStored } from '../support/stored.ts';
import { useGateway } from '../support/use-gateway.ts';

let consumer: Consumer;
const gateway = useGateway({ delaysMs: slowDelaysMs });
beforeEach(async () => {
  consumer = await startConsumer();
});
afterEach(() => consumer.close());

const secrets = {
  signing_secret_current: 'canary current/secret+1',
  signing_secret_previous: 'canary-previous-secret',
  delivery_secret: 'whsec_Y2FuYXJ5LWRlbGl2ZXJ5LXNlY3JldA==',
  project_delivery_secret: 'canary-project-secret',
};
const all = [
  ...Object.values(secrets),
  ...['Y2FuYXJ5LWRlbGl2ZXJ5LXNlY3JldA==', 'canary-pass/word', 'canary-verify-token', 'canary-user:canary-pass/word'],
  ...['canary-project-password'],
];
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Creates an account with all kinds of secrets, whose consumer repeats them. */
const accountOf = ({ port }: Consumer) =>
  gateway.admin.createAccount({
    ...secrets,
    provider: 'meta',
    provider_config: { verify_token: 'canary-verify-token' },
    delivery_url: `http://canary-user:canary-pass%2Fword@127.0.0.1:${port}/hook`,
    project_delivery_url: 'http://canary-project-user:canary-project-password@project.test/',
  });

const forms: [name: string, form: (secret: string, delivery: Delivery) => string][] = [
  ['as they are', (secret) => secret],
  ['in JSON', (secret) => JSON.stringify({ secret }).replaceAll('/', '\\/')],
  ['percent-encoded', (secret) => encodeURIComponent(secret)],
  ['as a form', (secret) => new URLSearchParams({ secret }).toString()],
  ['in base64', (secret) => base64(secret)],
  ['as the headers of the request', (_, { rawHeaders, url }) => `${url} ${rawHeaders.join('\n')}`],
];
const shown = new RegExp(
  ['canary', ...all.map((secret) => encodeURIComponent(secret)), ...all.map((secret) => base64(secret))]
    .map((text) => RegExp.escape(text))
    .join('|'),
);

describe.each([200, 500])('a consumer that answers %i', (status) => {
  test.each(forms)('with the secrets of its account, %s, has them masked', async (_, form) => {
    const account = await accountOf(consumer);
    consumer.replies = [
      (response, delivery) => {
        const repeated = `kept ${all.map((one) => form(one, delivery)).join('\n')} kept`;
        response.writeHead(status, { 'x-repeated': repeated.replaceAll('\n', ' ') }).end(repeated);
      },
    ];
    const { body } = await gateway.send(account, `{"id":"${Math.random()}"}`);
    const event = await gateway.admin.eventually(body.id, (one) => one.delivery_history.length === 1);
    const [attempt] = event.delivery_history;
    expect(attempt).toMatchObject({ response_code: status, url: `http://127.0.0.1:${consumer.port}/hook` });
    expect(attempt.response_body).toMatch(/^kept [\s\S]* kept$/);
    // Of a first attempt that succeeds, the headers are not kept.
    if (status === 500) expect(new Map(attempt.response_headers).get('x-repeated')).toMatch(/^kept .*( kept|…)$/);
    expect(JSON.stringify(event)).not.toMatch(shown);
    // Only the stored answer is masked: the consumer got the real credentials.
    expect(consumer.deliveries[0]?.headers.authorization).toBe(`Basic ${base64('canary-user:canary-pass/word')}`);

    const tried = await gateway.admin.post(`/admin/accounts/${account.id}/test-delivery`);
    expect(tried.status).toBe(status === 200 ? 200 : 502);
    expect(JSON.stringify(tried.body)).not.toMatch(shown);
  });
});

test('a secret in an error is masked, and the error still names the host', async () => {
  const account = await gateway.admin.createAccount({
    delivery_url: `http://user:localhost@localhost:${consumer.port}/`,
    signing_secret_current: 'canary-secret',
  });
  consumer.replies = [
    (response) => response.writeHead(302, { location: 'https://canary-secret.localhost.test/in' }).end('localhost'),
  ];
  const { body } = await gateway.send(account, '{"id":"redirect"}');
  const { last_error, delivery_history } = await gateway.admin.eventually(body.id, (one) => one.last_error !== null);
  const error = `localhost:${consumer.port} answered 302 Found, a redirect to https://[masked].[masked].test; redirects are not followed`;
  expect([last_error, delivery_history[0].error, delivery_history[0].response_body]).toEqual([
    error,
    error,
    '[masked]',
  ]);
  const tried = await gateway.admin.post(`/admin/accounts/${account.id}/test-delivery`);
  expect(tried.body.detail).toBe(error);
});

test('an answer without secrets is stored unchanged, also if a secret is very short', async () => {
  const account = await gateway.admin.createAccount({
    delivery_url: consumer.url,
    signing_secret_current: 'a',
    delivery_secret: 'ok',
  });
  consumer.replies = [(response) => response.writeHead(200).end('{"ok":true,"id":"a"}')];
  const { body } = await gateway.send(account, '{"id":"plain"}');
  const event = await gateway.admin.eventually(body.id, (one) => one.delivery_status === 'delivered');
  expect(event.delivery_history[0].response_body).toBe('{"ok":true,"id":"a"}');
});

test('no secret is in the database, a workflow history or a backup', async () => {
  const account = await accountOf(consumer);
  consumer.replies = [(response, { rawHeaders }) => response.writeHead(500).end(`${rawHeaders} ${all}`)];
  const { body } = await gateway.send(account, '{"id":"everywhere"}');
  await gateway.admin.eventually(body.id, (one) => one.delivery_history.length === 1 && one.status === 'enqueued');
  expect(await everythingStored(gateway.database)).not.toMatch(shown);

  const connection = await Connection.connect({ address: gateway.temporal.address });
  const workflow = new WorkflowClient({ connection });
  const { events } = await workflow.getHandle(`event-${body.id}`).fetchHistory();
  await connection.close();
  const history = textsIn(events).join('\n');
  expect(history).toContain(body.id);
  expect(history).not.toMatch(shown);

  const folder = join(folderForTest(), 'backups');
  const { name } = await backUp(gateway.databaseUrl, openDirectoryStore(folder), { encrypt: false });
  const archive = gunzipSync(readFileSync(join(folder, name))).toString('latin1');
  expect(archive).toContain(account.id);
  expect(archive).not.toMatch(shown);
  expect(archive).not.toContain(Buffer.from('canary').toString('hex'));
});
