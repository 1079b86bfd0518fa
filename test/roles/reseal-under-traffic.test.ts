import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { send } from '../support/admin-client.ts';
import { type Consumer, consumerForTest } from '../support/consumer.ts';
import { migratedDatabase } from '../support/database.ts';
import { gatewaysEndWithTheirTest, spawnGateway } from '../support/gateway-process.ts';
import { type Api, gatewayRoles, type Roles } from '../support/gateway-roles.ts';
import type { RunningRole } from '../support/running-role.ts';
import { until } from '../support/until.ts';
import { idOf, newKey, page, reseal, settingsOfStep, verify } from './resealing.ts';

gatewaysEndWithTheirTest();

const deliverySecret = () => `whsec_${randomBytes(24).toString('base64')}`;

/** Keeps the traffic low, because processes that start at the same time need the cores. */
const trafficPauseMs = 1_000;

/** Sends webhooks and changes of an account through the running apis until it is stopped. */
function traffic(apis: () => Api[], account: { id: string; provider: string; account_slug: string }, secret: string) {
  const state = { sent: [] as string[], secrets: [] as string[], refused: [] as unknown[], running: true };
  const nextApi = () => {
    const up = apis();
    return up[(state.sent.length + state.secrets.length) % up.length];
  };
  const loop = (work: (n: number) => Promise<void>) =>
    (async () => {
      for (let n = 0; state.running; n += 1) {
        await work(n).catch((error: unknown) => state.refused.push(error));
        await sleep(trafficPauseMs);
      }
    })();
  const webhooks = loop(async (n) => {
    const api = nextApi();
    if (!api) return;
    const { status, body } = await send(api.baseUrl, account, `{"id":"traffic-${n}"}`, {
      'content-type': 'application/json',
      'x-webhook-secret': secret,
    });
    if (status === 202) state.sent.push(body.id);
    else state.refused.push(['webhook', status, body]);
  });
  const changes = loop(async () => {
    const api = nextApi();
    if (!api) return;
    const delivery_secret = deliverySecret();
    state.secrets.push(delivery_secret);
    const { status, body } = await api.admin.request('PATCH', `/admin/accounts/${account.id}`, { delivery_secret });
    if (status !== 200) state.refused.push(['change', status, body]);
  });
  const stop = async () => {
    state.running = false;
    await Promise.all([webhooks, changes]);
  };
  onTestFinished(stop);
  return { ...state, stop };
}

/** The delivery secret with which this was signed; null if it is none of these. */
function signedWith({ headers, body }: Consumer['deliveries'][number], secrets: string[]): string | null {
  const signature = {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  };
  for (const secret of secrets.toReversed()) {
    try {
      new Webhook(secret).verify(body, signature);
      return secret;
    } catch {
      // Another one.
    }
  }
  return null;
}

interface Running {
  apis: Api[];
  workers: RunningRole[];
}

/** The time for which the old and the new process run side by side. */
const overlapMs = 1_000;

/** Replaces each role by one with these settings. Both accept requests for a while, as in a rolling restart. */
async function restartAll(
  roles: Roles,
  running: Running,
  settings: Record<string, string>,
  where: 'processes' | 'here' = 'here',
) {
  const variables = { SECRETS_KEY: '', SECRETS_KEY_PREVIOUS: '', ...settings };
  const [apis, workers] = [[...running.apis], [...running.workers]];
  const [api, worker] = await (where === 'here'
    ? Promise.all([roles.apiHere(variables), roles.workerHere(variables)])
    : Promise.all([roles.startApi(variables), roles.startWorker(variables)]));
  running.apis.push(api);
  running.workers.push(worker);
  await sleep(overlapMs);
  running.apis.splice(0, apis.length);
  running.workers.splice(0, workers.length);
  // Requests to the old processes are still answered.
  await sleep(200);
  for (const process of [...apis, ...workers]) expect(await process.stop()).toEqual({ code: 0, signal: null });
}

test('with the documented steps, under traffic, nothing is refused or lost, and the old key decrypts nothing', async () => {
  const keys = { old: newKey(), new: newKey() };
  const roles = gatewayRoles({
    databaseUrl: await migratedDatabase(),
    variables: { SECRETS_KEY: keys.old, DELIVERY_SCHEDULE: '20ms,20ms,20ms,20ms,20ms,20ms,20ms,20ms,20ms' },
  });
  const running = {
    apis: [await roles.apiHere()],
    workers: [await roles.workerHere()],
  };
  const admin = () => {
    const [api] = running.apis;
    if (!api) throw new Error('no api runs');
    return api.admin;
  };
  const consumer = await consumerForTest();
  const failing = await consumerForTest(500);
  const told = await consumerForTest();
  const secret = 'the secret of the provider';
  const signed = { skip_signature_verification: false, signing_secret_current: secret };
  const account = await admin().createAccount({
    ...signed,
    delivery_url: consumer.url,
    delivery_secret: deliverySecret(),
  });
  const untouched = await admin().createAccount({ ...signed, delivery_url: failing.url });
  const toldSecret = deliverySecret();
  await admin().post(`/admin/accounts/${untouched.id}/destinations`, {
    ...{ destination_type: 'webhook', name: 'told', config: { url: told.url, secret: toldSecret } },
  });
  const flow = traffic(() => running.apis, account, secret);
  const headers = { 'content-type': 'application/json', 'x-webhook-secret': secret };
  const exhaust = async (id: string) => {
    const before = told.deliveries.length;
    const [api] = running.apis;
    expect((await send(api?.baseUrl ?? '', untouched, `{"id":"${id}"}`, headers)).status).toBe(202);
    await until('the destination is notified', () => told.deliveries.length > before);
    new Webhook(toldSecret).verify(told.deliveries.at(-1)?.body ?? '', {
      'webhook-id': String(told.deliveries.at(-1)?.headers['webhook-id']),
      'webhook-timestamp': String(told.deliveries.at(-1)?.headers['webhook-timestamp']),
      'webhook-signature': String(told.deliveries.at(-1)?.headers['webhook-signature']),
    });
  };
  await exhaust('before');

  await restartAll(roles, running, settingsOfStep(1, keys));
  await restartAll(roles, running, settingsOfStep(2, keys));
  await exhaust('with both');
  expect(page).toMatch(/^\| 3 \| `npm run reseal` with the settings of step 2 \|/m);
  const env = { ...roles.variables, ...settingsOfStep(2, keys) };
  const checked = await reseal(env, ['--check']);
  expect([checked.code, checked.stdout]).toEqual([1, expect.stringContaining(`${idOf(keys.old)}  in use since`)]);
  const done = await reseal(env);
  expect([done.code, done.stderr]).toEqual([0, '']);
  expect(done.stdout).toContain('SECRETS_KEY_PREVIOUS can now be removed.');
  for (const key of Object.values(keys)) expect(done.stdout + checked.stdout + checked.stderr).not.toContain(key);
  const last = settingsOfStep(4, keys);
  expect(last).toEqual({ SECRETS_KEY: keys.new });
  // Separate processes, so that no memory contains the old key.
  await restartAll(roles, running, last, 'processes');
  await exhaust('after');
  await flow.stop();

  expect(flow.refused).toEqual([]);
  const events = await until('all webhooks are delivered', async () => {
    const rows = await roles.query(`select id from events where account_id = $1 and delivery_status <> 'delivered'`, [
      account.id,
    ]);
    return rows.length === 0 && roles.query('select id from events where account_id = $1', [account.id]);
  });
  expect(events.map(({ id }) => id).sort()).toEqual(flow.sent.toSorted());
  expect(consumer.deliveries.length).toBeGreaterThanOrEqual(flow.sent.length);
  const secrets = [...flow.secrets];
  const unsigned = consumer.deliveries.filter((delivery) => delivery.headers['webhook-signature'] === undefined);
  expect(unsigned).toEqual([]);
  // All deliveries after the first change were signed with a secret that the traffic had set.
  expect(consumer.deliveries.slice(-10).map((delivery) => signedWith(delivery, secrets))).not.toContain(null);
  expect(await verify(admin())).toMatchObject({ ok: true, failure: null });
  const entries = await admin().request('GET', '/admin/audit-logs?action=secrets.reseal');
  expect(entries.body).toMatchObject([
    { details: { key: idOf(keys.new), previous_key: idOf(keys.old), retired: true } },
  ]);

  // With the old key alone nothing is decrypted, and no process starts.
  for (const settings of [{ SECRETS_KEY: keys.old }, { SECRETS_KEY: keys.old, SECRETS_KEY_PREVIOUS: keys.new }]) {
    const refused = spawnGateway('api', { ...roles.variables, ...settings });
    expect((await refused.exited).code).toBe(1);
    expect(refused.stderr()).toContain('SECRETS_KEY is not the key');
  }
  const state = await reseal({ ...roles.variables, SECRETS_KEY: keys.new }, ['--check']);
  expect([state.code, state.stdout]).toEqual([0, expect.stringContaining(`${idOf(keys.old)}  retired at`)]);
});
