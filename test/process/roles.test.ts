import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { consumerForTest } from '../support/consumer.ts';
import { freshDatabase, migratedDatabase } from '../support/database.ts';
import { gatewaysEndWithTheirTest, spawnGateway } from '../support/gateway-process.ts';
import { allDelivered, gatewayRoles, migratedRoles } from '../support/gateway-roles.ts';
import { until } from '../support/until.ts';

const timeout = 240_000;
gatewaysEndWithTheirTest();

test('migrate, api and worker run as separate processes and deliver an event', {
  timeout,
}, async () => {
  const roles = gatewayRoles({ databaseUrl: await freshDatabase() });
  const migrated = await roles.migrate();
  expect(migrated.stderr).not.toMatch(/error/i);
  expect(migrated.code).toBe(0);
  expect(migrated.stdout).toMatch(/^Applied: Migration/m);

  const consumer = await consumerForTest();
  const [api, worker] = await Promise.all([roles.startApi(), roles.startWorker()]);
  const account = await api.admin.createAccount({ delivery_url: consumer.url });
  const { status, body } = await send(api.baseUrl, account, '{"id":"one","n":1}');
  expect(status).toBe(202);
  const event = await api.admin.eventually(
    body.id,
    (e) => e.delivery_status === 'delivered' && e.status === 'enqueued' && e.workflow !== null,
    60_000,
  );
  expect(event.workflow.id).toBe(`event-${body.id}`);
  expect(consumer.deliveries.map((d) => [d.headers['webhook-id'], d.body.toString()])).toEqual([
    [body.id, '{"id":"one","n":1}'],
  ]);

  // A graceful shutdown ends with exit code 0.
  for (const process of [worker, api]) expect(await process.stop('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('a second migrate changes nothing and says so', { timeout }, async () => {
  const roles = await migratedRoles({});
  const schema = `select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2`;
  const before = await roles.query(schema);
  const again = await roles.migrate();
  expect([again.code, again.stdout]).toEqual([0, 'The schema is up to date.\n']);
  expect(before.length).toBeGreaterThan(50);
  expect(await roles.query(schema)).toEqual(before);
});

test('of three concurrent migrates one applies the migrations, the others wait for it', { timeout }, async () => {
  const roles = gatewayRoles({ databaseUrl: await freshDatabase() });
  const results = await Promise.all([roles.migrate(), roles.migrate(), roles.migrate()]);
  expect(results.map(({ code, stderr }) => ({ code, failed: /error/i.test(stderr) }))).toEqual(
    results.map(() => ({ code: 0, failed: false })),
  );
  expect(results.filter(({ stdout }) => stdout.startsWith('Applied: '))).toHaveLength(1);
  expect(results.filter(({ stdout }) => stdout === 'The schema is up to date.\n')).toHaveLength(2);
});

test.each(['auto', 'workflow', 'direct'] as const)(
  'two workers and two apis, FIRST_ATTEMPT=%s: 100 events, each delivered once',
  {
    timeout,
  },
  async (firstAttempt) => {
    const roles = await migratedRoles({ FIRST_ATTEMPT: firstAttempt });
    // One mode with four processes is enough: the modes differ only in what makes the first attempt.
    const [one, two] = await (firstAttempt === 'auto'
      ? Promise.all([roles.startApi(), roles.startApi(), roles.startWorker(), roles.startWorker()])
      : Promise.all([roles.apiHere(), roles.apiHere(), roles.workerHere(), roles.workerHere()]));
    const consumer = await consumerForTest();
    const account = await one.admin.createAccount({ delivery_url: consumer.url });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        send((n % 2 === 0 ? one : two).baseUrl, account, JSON.stringify({ id: `event-${n}` })),
      ),
    );
    expect(answers.filter(({ status }) => status !== 202)).toEqual([]);
    const ids = answers.map(({ body }) => body.id as string).sort();
    expect(new Set(ids).size).toBe(100);
    const rows = await allDelivered(roles, 100);
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect(consumer.deliveries.map((d) => d.headers['webhook-id']).sort()).toEqual(ids);
    const attempts = await roles.query('select event_id from delivery_attempts order by event_id');
    expect(attempts.map(({ event_id }) => event_id)).toEqual(ids);
  },
);

test('two workers share the work', { timeout }, async () => {
  const roles = gatewayRoles({
    databaseUrl: await migratedDatabase(),
    variables: { ACCOUNT_CONCURRENCY: '2', FIRST_ATTEMPT: 'direct' },
  });
  const [api, first, second] = await Promise.all([roles.apiHere(), roles.workerHere(), roles.workerHere()]);
  // The consumer answers after all four requests have arrived. A worker makes at most two, so both workers are needed.
  const { promise, resolve } = Promise.withResolvers<void>();
  const consumer = await consumerForTest((response) => void promise.then(() => response.writeHead(200).end()));
  const account = await api.admin.createAccount({ delivery_url: consumer.url });
  for (let n = 0; n < 4; n += 1) await send(api.baseUrl, account, `{"id":"${n}"}`);
  await until('four attempts are in flight', () => consumer.deliveries.length === 4);
  resolve();
  await allDelivered(roles, 4);
  const makes = (text: string) => text.split('\n').filter((line) => line.includes('"msg":"attempt"')).length;
  const made = () => [makes(first.stderr()), makes(second.stderr())];
  // Their log lines may not have arrived yet.
  await until('both workers have logged their attempts', () => made().every((attempts) => attempts >= 2));
  expect(made()).toEqual([2, 2]);
});

test.each(['api', 'worker'] as const)(
  '%s: a SECRETS_KEY that the database does not know is refused with a readable message',
  { timeout },
  async (role) => {
    const roles = await migratedRoles({});
    const api = await roles.apiHere();
    await api.stop();

    const wrongKey = randomBytes(32).toString('base64');
    const refused = spawnGateway(role, { ...roles.variables, SECRETS_KEY: wrongKey });
    expect((await refused.exited).code).toBe(1);
    expect(refused.stderr()).toContain('SECRETS_KEY is not the key');
    expect(refused.stderr()).toContain('Set the one that was used before');
    expect(refused.stderr()).not.toContain(wrongKey);
    expect(refused.stderr()).not.toMatch(/^\s+at /m);

    // The refusal changed nothing: with the right key it starts.
    await roles.apiHere();
  },
);

test.each(['direct', 'workflow'] as const)(
  'FIRST_ATTEMPT=%s: a stopping worker gives up an attempt that outlasts the stop, and another worker repeats it',
  { timeout },
  async (firstAttempt) => {
    const roles = await migratedRoles({ DELIVERY_TIMEOUT: '2m', FIRST_ATTEMPT: firstAttempt });
    const [api, worker] = await Promise.all([roles.apiHere(), roles.startWorker()]);
    const consumer = await consumerForTest(() => undefined);
    const account = await api.admin.createAccount({ delivery_url: consumer.url });
    const { body } = await send(api.baseUrl, account, '{"id":"one"}');
    await until('the attempt is in flight', () => consumer.deliveries.length === 1, 60_000);

    // Not 1, the code of a process that its own limit ends: the connections are closed in order.
    expect(await worker.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(worker.stderr()).toContain('work still in flight at the stop, other workers repeat it');

    consumer.replies = [200];
    await roles.workerHere();
    const event = await api.admin.eventually(body.id, (e) => e.delivery_status === 'delivered', 60_000);
    // The attempt that was given up is not known to have failed.
    expect(event.attempts).toBe(1);
    expect(consumer.deliveries.map((d) => d.headers['webhook-id'])).toEqual([body.id, body.id]);
  },
);
