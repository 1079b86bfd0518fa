import { describe, expect, test } from 'vitest';
import { secretText } from '../support/secrets.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';
import { incidentsOf, quickPace } from './support.ts';

const secret = secretText('signing-secret-of-rejections');
let sent = 0;

function useRejections(rejectedWindowS: number) {
  const gateway = useGateway({
    worker: false,
    incidents: { ...quickPace, times: { quietS: 1, rejectedWindowS, reopensS: 30 } },
  });
  return {
    gateway,
    incidents: () => incidentsOf(gateway),
    account: () => gateway.admin.createAccount({ skip_signature_verification: false, signing_secret_current: secret }),
    async send(to: { provider: string; account_slug: string }, count: number, given: string) {
      for (let n = 0; n < count; n++)
        await gateway.send(to, JSON.stringify({ id: `r-${++sent}`, type: 'order' }), { 'x-webhook-secret': given });
    },
  };
}

/** Longer than it takes to send what a test counts together. */
const rejectedWindowS = 60;
const { gateway, incidents, account, send } = useRejections(rejectedWindowS);

describe('with a window of five seconds', () => {
  const windowMs = 5_000;
  const quiet = useRejections(windowMs / 1000);

  test('an incident ends after two accepted webhooks, however far apart they are', async () => {
    const to = await quiet.account();
    await quiet.send(to, 1, secret);
    let sentAt = Number.NEGATIVE_INFINITY;
    const { id } = await until('an incident is open', async () => {
      // Again when they were sent too slowly to be in one window.
      if (Date.now() - sentAt > windowMs) {
        sentAt = Date.now();
        await Promise.all(Array.from({ length: 10 }, () => quiet.send(to, 1, 'wrong')));
      }
      const [incident] = await quiet.incidents().list(`?account_id=${to.id}`);
      return incident;
    });
    await quiet.send(to, 1, secret);
    const at = Date.now();
    await until('the first one is no longer in the window', () => Date.now() - at > windowMs + 500);
    expect((await quiet.incidents().read(id)).body.state).toBe('open');
    await quiet.send(to, 1, secret);
    await quiet.incidents().one(to.id, ({ state }) => state === 'resolved');
  });
});

test('many rejected webhooks of an account that accepted some are an incident until some are accepted again', async () => {
  const to = await account();
  await send(to, 3, secret);
  await send(to, 9, 'wrong');
  const at = Date.now();
  await until('incidents were judged', () => Date.now() - at > 500);
  expect(await incidents().list(`?account_id=${to.id}`)).toEqual([]);
  await send(to, 1, 'wrong');
  const incident = await incidents().one(to.id);
  expect(incident).toMatchObject({
    ...{ kind: 'rejections', state: 'open', consumer: null, waiting: null, exhausted: null, attempts: 10 },
    account_slug: to.account_slug,
  });
  const { body } = await gateway.admin.request('GET', `/admin/events?incident=${incident.id}`);
  expect(body).toHaveLength(10);
  expect(body[0]).toMatchObject({ status: 'rejected', rejection_reason: incident.cause });
  expect(body.map(({ id }: { id: string }) => id)).toContain(incident.example_event_id);
  const windowMs = rejectedWindowS * 1000;
  await until('the spike is over', () => Date.now() - Date.parse(incident.last_seen_at) > windowMs + 500);
  expect((await incidents().read(incident.id)).body.state).toBe('open');
  await send(to, 2, secret);
  await incidents().one(to.id, ({ state }) => state === 'resolved');
});

test('an account whose webhooks were never accepted, or mostly are, has none', async () => {
  const [fresh, healthy] = [await account(), await account()];
  await send(fresh, 12, 'wrong');
  await send(healthy, 14, secret);
  await send(healthy, 12, 'wrong');
  const at = Date.now();
  await until('incidents were judged', () => Date.now() - at > 600);
  expect(await incidents().list(`?account_id=${fresh.id}`)).toEqual([]);
  expect(await incidents().list(`?account_id=${healthy.id}`)).toEqual([]);
});
