import { expect, test } from 'vitest';
import { accepts, outboundSecrets, ownerOf, signaturesIn } from '../consumers/rotating.ts';
import { consumerForTest } from '../support/consumer.ts';
import { secretText, secretWhsec } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';

// The rotation of secrets in steps, while webhooks come in at a steady rate.

const perSecond = 50;
/** A second and a half of the stream. */
const ofEachStep = 75;

const gateway = useGateway();

/** What one second of the stream sends. After a pause of the machine, all that is due would come at the same moment. */
const mostUnanswered = 50;

/** Sends webhooks at the rate, as long as most are answered, until it is stopped. */
function startStream(send: (n: number) => Promise<{ status: number }>) {
  const startedMs = performance.now();
  const answers: Promise<{ status: number }>[] = [];
  let unanswered = 0;
  const next = async () => {
    unanswered += 1;
    try {
      return await send(answers.length);
    } finally {
      unanswered -= 1;
    }
  };
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) * perSecond) / 1_000);
    while (answers.length < due && unanswered < mostUnanswered) answers.push(next());
  }, 10);
  return {
    sent: () => answers.length,
    /** Stops, and returns the statuses of all answers. */
    async stop() {
      clearInterval(timer);
      return (await Promise.all(answers)).map(({ status }) => status);
    },
  };
}

const count = (values: readonly unknown[], wanted: unknown) => values.filter((value) => value === wanted).length;

test.each(outboundSecrets)('no delivery is refused while %s is rotated', async (field) => {
  const [old, next] = [secretWhsec('rate-old'), secretWhsec('rate-next')];
  let secret = old;
  const receiver = await consumerForTest((response, delivery) =>
    response.writeHead(accepts(secret, delivery) ? 200 : 401).end(),
  );
  const { account, rotate, patch, endField } = await ownerOf(gateway, field, old, receiver.url);
  const signatures = () => receiver.deliveries.map((delivery) => signaturesIn(delivery).length);
  const stream = startStream((n) => gateway.send(account, `{"id":"rate-${n}"}`));
  // A first attempt may use what was read with its event, however long it waits on a busy machine.
  const delivered = async (what: string) => {
    const sent = stream.sent();
    const arrived = ({ body }: { body: Buffer }) => Number(/rate-(\d+)/.exec(body.toString())?.[1]) < sent;
    await until(what, () => receiver.deliveries.filter(arrived).length >= sent);
  };
  await until('deliveries with the old secret', () => receiver.deliveries.length >= ofEachStep);
  expect((await rotate(next)).status).toBe(200);
  await until('deliveries with both', () => count(signatures(), 2) >= ofEachStep);
  await delivered('what was sent before the change is delivered');
  secret = next;
  await until('deliveries to the receiver with the new secret', () => count(signatures(), 2) >= 2 * ofEachStep);
  const before = receiver.deliveries.length;
  expect((await patch({ [endField]: null })).status).toBe(200);
  await until('deliveries with the new secret', () => count(signatures().slice(before), 1) >= ofEachStep);
  const statuses = await stream.stop();
  expect(count(statuses, 202)).toBe(statuses.length);
  expect(statuses.length).toBeGreaterThanOrEqual(4 * ofEachStep);
  await until('all webhooks are delivered', async () => {
    const left = `select 1 from events where account_id = $1 and delivery_status <> 'delivered' limit 1`;
    return (await gateway.rows(left, [account.id])).length === 0;
  });
  const refused = `select d.outcome, d.response_code from delivery_attempts d join events e on e.id = d.event_id
    where e.account_id = $1 and d.outcome <> 'delivered'`;
  expect(await gateway.rows(refused, [account.id])).toEqual([]);
  // No delivery was made twice.
  expect(receiver.deliveries).toHaveLength(statuses.length);
});

test('no webhook is refused while the signing secret is rotated', async () => {
  const [old, next] = [secretText('rate-signing-old'), secretText('rate-signing-next')];
  let secret = old;
  const receiver = await consumerForTest();
  const account = await gateway.admin.createAccount({
    ...{ skip_signature_verification: false, signing_secret_current: old, delivery_url: receiver.url },
  });
  const patch = (change: object) => gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, change);
  const headers = () => ({ 'content-type': 'application/json', 'x-webhook-secret': secret });
  const stream = startStream((n) => gateway.send(account, `{"id":"signing-${n}"}`, headers()));
  const step = async () => {
    const wanted = stream.sent() + ofEachStep;
    await until('more webhooks', () => stream.sent() >= wanted);
  };
  await step();
  expect((await patch({ signing_secret_current: next, rotate: true })).status).toBe(200);
  await step();
  secret = next;
  await step();
  expect((await patch({ signing_secret_previous: null })).status).toBe(200);
  await step();
  const statuses = await stream.stop();
  expect(count(statuses, 202)).toBe(statuses.length);
  expect(statuses.length).toBeGreaterThanOrEqual(4 * ofEachStep);
});
