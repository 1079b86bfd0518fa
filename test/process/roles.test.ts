import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { accountForTest, consumerForTest } from '../support/consumer.ts';
import { freshDatabase } from '../support/database.ts';
import { eventsOf, expectDeliveries } from '../support/deliveries-made.ts';
import { type GatewayProcess, gatewaysEndWithTheirTest, spawnGateway } from '../support/gateway-process.ts';
import { type Api, allDelivered, gatewayRoles, migratedRoles } from '../support/gateway-roles.ts';
import { threadStats } from '../support/proc-stat.ts';
import { until } from '../support/until.ts';

gatewaysEndWithTheirTest();

test('migrate, api and worker run as separate processes and deliver an event', async () => {
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

test('a second migrate changes nothing and says so', async () => {
  const roles = await migratedRoles({});
  const schema = `select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2`;
  const before = await roles.query(schema);
  const again = await roles.migrate();
  expect([again.code, again.stdout]).toEqual([0, 'The schema is up to date.\n']);
  expect(before.length).toBeGreaterThan(50);
  expect(await roles.query(schema)).toEqual(before);
});

test('of three concurrent migrates one applies the migrations, the others wait for it', async () => {
  const roles = gatewayRoles({ databaseUrl: await freshDatabase() });
  const results = await Promise.all([roles.migrate(), roles.migrate(), roles.migrate()]);
  expect(results.map(({ code, stderr }) => ({ code, failed: /error/i.test(stderr) }))).toEqual(
    results.map(() => ({ code: 0, failed: false })),
  );
  expect(results.filter(({ stdout }) => stdout.startsWith('Applied: '))).toHaveLength(1);
  expect(results.filter(({ stdout }) => stdout === 'The schema is up to date.\n')).toHaveLength(2);
});

test.each([true, false])(
  'two workers and two apis, API_DELIVERS=%s: 100 events, each delivered once',
  async (delivers) => {
    const roles = await migratedRoles({ API_DELIVERS: String(delivers) });
    // Four processes: parts of one stand still together, and Temporal then gives an attempt in flight to the other worker.
    const processes = await Promise.all([roles.startApi(), roles.startApi(), roles.startWorker(), roles.startWorker()]);
    const [one, two] = processes;
    const { consumer, account } = await accountForTest(one.admin);
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
    await expectDeliveries(eventsOf(consumer.deliveries), ids, processes);
    const attempts = await roles.query('select event_id from delivery_attempts order by event_id');
    expect(attempts.map(({ event_id }) => event_id)).toEqual(ids);
  },
);

test('an api that does not deliver leaves its events in the queue, and two others share them', async () => {
  const roles = await migratedRoles({ ACCOUNT_CONCURRENCY: '2', DELIVERY_TIMEOUT: '2m' });
  const accepting = await roles.apiHere({ API_DELIVERS: 'false' });
  // The consumer answers after all four requests have arrived. An api makes at most two, so both are needed.
  const { promise, resolve } = Promise.withResolvers<void>();
  const { consumer, account } = await accountForTest(
    accepting.admin,
    (response) => void promise.then(() => response.writeHead(200).end()),
  );
  for (let n = 0; n < 4; n += 1) await send(accepting.baseUrl, account, `{"id":"${n}"}`);
  const [first, second] = await Promise.all([roles.apiHere(), roles.apiHere()]);
  await until('four attempts are in flight', () => consumer.deliveries.length === 4);
  resolve();
  const makes = (text: string) => text.split('\n').filter((line) => line.includes('"msg":"attempt"')).length;
  const made = () => [makes(first.stderr()), makes(second.stderr())];
  // Their log lines may not have arrived yet.
  await until('both have logged their attempts', () => made().every((attempts) => attempts >= 2));
  expect(made()).toEqual([2, 2]);
});

test('an api without any worker makes first attempts, and retries wait for a worker', async () => {
  const roles = await migratedRoles({ DELIVERY_SCHEDULE: Array(9).fill('1ms').join() });
  const api = await roles.apiHere();
  const { consumer, account } = await accountForTest(api.admin, 500, 200);
  const failing = await send(api.baseUrl, account, '{"id":"one"}');
  const failed = await api.admin.eventually(failing.body.id, (e) => e.attempts === 1);
  expect(failed).toMatchObject({ delivery_status: 'pending', status: 'received', workflow: null });
  const isDue = 'select 1 from events where id = $1 and next_attempt_at < now()';
  await until('the retry is due', async () => (await roles.query(isDue, [failing.body.id])).length > 0);
  // The api goes on with first attempts, and makes no retry before them.
  const next = await send(api.baseUrl, account, '{"id":"two"}');
  await api.admin.eventually(next.body.id, (e) => e.delivery_status === 'delivered');
  const sent = () => consumer.deliveries.map(({ headers }) => [headers['webhook-id'], headers['x-webhook-attempt']]);
  const first = [failing, next].map(({ body }) => [body.id, '1']);
  expect(sent()).toEqual(first);

  await roles.workerHere();
  await allDelivered(roles, 2);
  expect(sent()).toEqual([...first, [failing.body.id, '2']]);
});

test('an api with API_DELIVERS=false alone accepts webhooks and is listed, and makes no attempt', async () => {
  const roles = await migratedRoles({});
  const holding = await roles.apiHere({ API_DELIVERS: 'false' });
  const read = async (from: Api, path: string) => (await from.admin.request('GET', path)).body;
  const listed = { role: 'api', pid: process.pid, alive: true, makes_first_attempts: false, first_attempts_per_s: 0 };
  await expect.poll(() => read(holding, '/admin/processes')).toMatchObject([listed]);
  const { processes } = await read(holding, '/admin/health');
  expect(processes).toEqual({ state: 'no_worker', workers: 0, delivering_apis: 0 });
  const { consumer, account } = await accountForTest(holding.admin);
  const { status, body } = await send(holding.baseUrl, account, '{"id":"one"}');
  expect(status).toBe(202);
  const queued = await roles.query('select event_id, lane, claimed_until from event_queue');
  expect(queued).toEqual([{ event_id: body.id, lane: 0, claimed_until: null }]);
  const delivering = await roles.apiHere();
  await holding.admin.eventually(body.id, (e) => e.delivery_status === 'delivered');
  await expect
    .poll(() => read(holding, '/admin/processes'))
    .toMatchObject([listed, { role: 'api', alive: true, makes_first_attempts: true }]);
  await delivering.printed(/"msg":"attempt"/, 'stderr');
  expect(holding.stderr()).not.toContain('"msg":"attempt"');
  expect(consumer.deliveries).toHaveLength(1);
  await holding.stop();
  expect(await read(delivering, '/admin/processes')).toMatchObject([{ makes_first_attempts: true }]);
});

test('while no api delivers, workflows make all attempts of queued events, until one delivers again', async () => {
  const roles = await migratedRoles({
    ...{ DELIVERY_SCHEDULE: Array(9).fill('1ms').join(), EVENT_WORKFLOWS: 'always' },
  });
  const accepting = await roles.apiHere({ API_DELIVERS: 'false' });
  const { consumer, account } = await accountForTest(accepting.admin, 500, 200);
  const answers = await Promise.all(
    Array.from({ length: 3 }, (_, n) => send(accepting.baseUrl, account, JSON.stringify({ id: `event-${n}` }))),
  );
  const ids = answers.map(({ body }) => body.id as string).sort();
  await expect.poll(() => roles.query('select 1 from processes where alive_until > now()')).toHaveLength(1);

  const worker = await roles.workerHere();
  await worker.printed(/"msg":"no api makes first attempts: workflows make them"/, 'stderr');
  await allDelivered(roles, 3);
  const sent = () => consumer.deliveries.map(({ headers }) => headers['webhook-id'] as string);
  expect([...new Set(sent())].sort()).toEqual(ids);
  expect(sent()).toHaveLength(4);
  const numbers = await roles.query<{ numbers: number[] }>(
    'select array_agg(number order by number) as numbers from delivery_attempts group by event_id order by count(*)',
  );
  expect(numbers.map((row) => row.numbers)).toEqual([[1], [1], [1, 2]]);

  const api = await roles.apiHere();
  await worker.printed(/"msg":"workflows no longer make first attempts: an api does, or Temporal is away"/, 'stderr');
  const { body } = await send(api.baseUrl, account, '{"id":"later"}');
  await api.printed(new RegExp(`"eventId":"${body.id}".*"msg":"attempt"`), 'stderr');
  await allDelivered(roles, 4);
  expect(sent()).toHaveLength(5);
});

test.each(['api', 'worker'] as const)(
  '%s: a SECRETS_KEY that the database does not know is refused with a readable message',
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

const givesUp = {
  api: 'attempts still in flight at the stop, other processes repeat them',
  worker: 'work still in flight at the stop, other workers repeat it',
};

test.each(['api', 'worker'] as const)(
  '%s: an attempt that outlasts a stop is given up, and another process repeats it',
  async (role) => {
    const roles = await migratedRoles({ DELIVERY_TIMEOUT: '2m' });
    const admin = await roles.apiHere({ API_DELIVERS: 'false' });
    // An api makes first attempts from its queue. Without one, the workflow in a worker makes them.
    const stopping: GatewayProcess & Partial<Api> = await (role === 'api' ? roles.startApi() : roles.startWorker());
    const { consumer, account } = await accountForTest(admin.admin, () => undefined);
    const { body } = await send(admin.baseUrl, account, '{"id":"one"}');
    await until('the attempt is in flight', () => consumer.deliveries.length === 1);
    stopping.signal('SIGTERM');
    const { baseUrl } = stopping;
    if (baseUrl !== undefined) {
      // Also when it stands still until its limits have passed, the last one after 45 s (src/main.ts).
      await until('it accepts no connection: its limits run', () =>
        fetch(baseUrl).then(
          () => false,
          () => true,
        ),
      );
      stopping.signal('SIGSTOP');
      await sleep(46_000);
      stopping.signal('SIGCONT');
    }

    // Not 1, the code of a process that its own limit ends: the connections are closed in order.
    expect(await stopping.exited).toEqual({ code: 0, signal: null });
    expect(stopping.stderr()).toContain(givesUp[role]);

    consumer.replies = [200];
    await (role === 'api' ? roles.apiHere() : roles.workerHere());
    const event = await admin.admin.eventually(body.id, (e) => e.delivery_status === 'delivered');
    // The attempt that was given up is not known to have failed.
    expect(event.attempts).toBe(1);
    expect(consumer.deliveries.map((d) => d.headers['webhook-id'])).toEqual([body.id, body.id]);
  },
);

test('a process has 16 threads for name servers and files, or as many as UV_THREADPOOL_SIZE says', async () => {
  const roles = await migratedRoles({});
  const apis = await Promise.all([roles.startApi(), roles.startApi({ UV_THREADPOOL_SIZE: '5' })]);
  const threadsOf = (pid: number) => threadStats(pid).filter(({ name }) => name === 'libuv-worker').length;
  expect(apis.map(({ pid }) => threadsOf(pid))).toEqual([16, 5]);
});
