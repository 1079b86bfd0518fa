import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AdminApiClient, createAdminClient } from '../../src/api/client.ts';
import { type Delivery, startConsumer } from '../support/consumer.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import type { TestGatewayOptions } from '../support/gateway-options.ts';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';

// The rotation of secrets as in docs/admin-api.md (R36), with continuous traffic.

const senders = 24;
/** Fewer senders where webhooks are also delivered, which costs much more than ingestion. */
const deliveredSenders = 8;
/** Webhooks of each sender. */
const perPhase = 3;

let gateway: TestGateway;
let admin: AdminApiClient;

/** Starts a gateway for the tests of one group. */
function useGateway(options: TestGatewayOptions = {}): void {
  beforeAll(async () => {
    gateway = await startGateway(options);
    admin = createAdminClient({ baseUrl: gateway.baseUrl, token: gateway.adminToken });
  });
  afterAll(() => gateway.stop());
}

type Change = Parameters<ReturnType<AdminApiClient['accounts']>['patch']>[0];

async function change(account_id: string, body: Change) {
  const { data, error } = await admin.accounts({ account_id }).patch(body);
  if (error) throw new Error(JSON.stringify(error.value));
  return data;
}

interface Sent {
  id: string;
  status: number;
  /** The phase in which it was sent. */
  phase: string;
}

/** Sends webhooks continuously from many concurrent senders, with the secret that they have at that moment. */
function startTraffic(account: { provider: string; account_slug: string }, secret: string, senders: number) {
  const traffic = { secret, phase: 'before', sent: [] as Sent[] };
  const answered: number[] = Array(senders).fill(0);
  const waiting = new Set<() => void>();
  let going = true;
  const one = async (_: number, sender: number) => {
    for (let n = 1; going; n++) {
      const { phase } = traffic;
      const headers = { 'content-type': 'application/json', 'x-webhook-secret': traffic.secret };
      const { status, body } = await gateway.send(account, `{"id":"w-${sender}-${n}"}`, headers);
      traffic.sent.push({ id: body.id, status, phase });
      answered[sender] = n;
      for (const look of waiting) look();
    }
  };
  const all = Promise.all(answered.map(one));
  return Object.assign(traffic, {
    /** Waits until each sender has got so many more answers, so that no older webhook is still in flight. */
    more() {
      const wanted = answered.map((count) => count + perPhase);
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => {
        if (!wanted.every((count, sender) => (answered[sender] ?? 0) >= count)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      // Rejects when a webhook cannot be sent at all.
      return Promise.race([promise, all]);
    },
    async stop() {
      going = false;
      await all;
    },
  });
}

const refusedOf = (sent: Sent[]) => sent.filter(({ status }) => status !== 202);

/** The names of those secrets with which a delivery verifies. */
function verifiedWith({ body, headers }: Delivery, secrets: Record<string, string>): string[] {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  return Object.entries(secrets).flatMap(([name, secret]) => {
    try {
      new Webhook(secret).verify(body, given);
      return [name];
    } catch {
      return [];
    }
  });
}

const secrets = {
  old: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  next: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
};

describe('signing_secret', () => {
  // These tests deliver nothing.
  useGateway({ worker: false });

  const fresh = { signing_secret_current: secretText('the-new-one') };
  test.each([
    ['with both secrets', { ...fresh, signing_secret_previous: secretText('the-old-one') }],
    ['with rotate', { ...fresh, rotate: true }],
  ])(
    'changes %s under load without a refused webhook, and the old secret is refused afterwards',
    async (_way, both) => {
      const account = await gateway.admin.createAccount({
        skip_signature_verification: false,
        signing_secret_current: secretText('the-old-one'),
      });
      const traffic = startTraffic(account, secretText('the-old-one'), senders);
      await traffic.more();
      expect(await change(account.id, both)).toMatchObject({
        has_signing_secret_current: true,
        has_signing_secret_previous: true,
      });
      // The senders still use the old secret.
      await traffic.more();
      traffic.secret = secretText('the-new-one');
      await traffic.more();
      const after = await change(account.id, { signing_secret_previous: null });
      expect(after).toMatchObject({ has_signing_secret_current: true, has_signing_secret_previous: false });
      await traffic.more();
      await traffic.stop();
      expect(traffic.sent.length).toBeGreaterThanOrEqual(4 * perPhase * senders);
      expect(refusedOf(traffic.sent)).toEqual([]);

      const refusals = () => gateway.send(account, '{}', { 'x-webhook-secret': secretText('the-old-one') });
      // Caches may accept the old secret for a moment.
      await until('the old secret is refused', async () => (await refusals()).status === 401);
      const answers = await Promise.all(Array.from({ length: senders }, refusals));
      expect(answers.map(({ status }) => status)).toEqual(Array(senders).fill(401));
      const [count] = await gateway.rows(
        `select count(*)::integer as taken, count(distinct id)::integer as different from events
       where account_id = $1 and status <> 'rejected' and external_id like 'w-%'`,
        [account.id],
      );
      expect(count).toEqual({ taken: traffic.sent.length, different: traffic.sent.length });
    },
  );

  test('the new secret is accepted as soon as the change is answered', async () => {
    const account = await gateway.admin.createAccount({
      skip_signature_verification: false,
      signing_secret_current: secretText('0'),
    });
    for (let n = 1; n <= 10; n++) {
      // Now the account is in the cache of ingestion.
      expect((await gateway.send(account, '{}', { 'x-secret': secretText(`${n - 1}`) })).status).toBe(202);
      await change(account.id, {
        signing_secret_current: secretText(`${n}`),
        signing_secret_previous: secretText(`${n - 1}`),
      });
      const answers = await Promise.all(
        Array.from({ length: senders }, (_, m) =>
          gateway.send(account, '{}', { 'x-secret': secretText(`${n - (m % 2)}`) }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(senders).fill(202));
    }
  });
});

describe.each([
  ['delivery_secret', 'delivery_url'],
  ['project_delivery_secret', 'project_delivery_url'],
] as const)('%s', (secretField, urlField) => {
  useGateway();

  test('changes under load: each delivery verifies with the old or new secret, later ones with the new', async () => {
    const consumer = await forTest(
      startConsumer((response, delivery) => {
        const known = verifiedWith(delivery, secrets);
        response.writeHead(known.length === 1 ? 200 : 401, { 'x-verified-with': known.join() }).end();
      }),
    );
    const account = await gateway.admin.createAccount({
      ...{ skip_signature_verification: false, signing_secret_current: secretText('inbound') },
      ...{ [urlField]: consumer.url, [secretField]: secrets.old },
    });
    const traffic = startTraffic(account, secretText('inbound'), deliveredSenders);
    await traffic.more();
    await until('there are deliveries with the old secret', () => consumer.deliveries.length > 0);
    const body: Change =
      secretField === 'delivery_secret' ? { delivery_secret: secrets.next } : { project_delivery_secret: secrets.next };
    expect(await change(account.id, body)).toMatchObject({ [`has_${secretField}`]: true });
    traffic.phase = 'after';
    await traffic.more();
    await traffic.stop();
    const sentAfter = new Set(traffic.sent.filter(({ phase }) => phase === 'after').map(({ id }) => id));

    expect(refusedOf(traffic.sent)).toEqual([]);
    const ids = new Set(traffic.sent.map(({ id }) => id));
    await until('all webhooks are delivered', async () => {
      const left = `select 1 from events where account_id = $1 and delivery_status <> 'delivered' limit 1`;
      return (await gateway.rows(left, [account.id])).length === 0;
    });
    // No attempt failed, so each webhook was delivered once.
    expect(consumer.deliveries).toHaveLength(ids.size);
    const failed = `select 1 from delivery_attempts d join events e on e.id = d.event_id
      where e.account_id = $1 and d.outcome <> 'delivered'`;
    expect(await gateway.rows(failed, [account.id])).toEqual([]);
    const seen = { old: 0, next: 0 };
    for (const delivery of consumer.deliveries) {
      const [name, ...more] = verifiedWith(delivery, secrets);
      expect(more).toEqual([]);
      if (name === 'old' || name === 'next') seen[name]++;
      if (sentAfter.has(String(delivery.headers['webhook-id']))) expect(name).toBe('next');
    }
    expect(sentAfter.size).toBeGreaterThan(0);
    expect(seen.old).toBeGreaterThan(0);
    expect(seen.next).toBeGreaterThanOrEqual(sentAfter.size);
    expect(seen.old + seen.next).toBe(ids.size);
  });
});
