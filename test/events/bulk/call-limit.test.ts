import { expect, test } from 'vitest';
import { consumersOf } from '../../consumers/support.ts';
import type { Answer } from '../../support/admin-client.ts';
import { until } from '../../support/until.ts';
import { useForAll } from '../../support/use.ts';
import { useClient, useGateway } from '../../support/use-gateway.ts';
import { orderPath } from './support.ts';

const gateway = useGateway({ worker: false, apiDelivers: false });
const client = useClient(gateway);
const account = useForAll(async () => {
  const created = await gateway.admin.createAccount({ delivery_url: 'http://127.0.0.1:9/' });
  await gateway.send(created, '{"id":"counted"}');
  return { id: created.id as string };
});

const filter = { provider: 'generic' };
const backfill = (order: object) =>
  consumersOf(gateway, account.id).backfill('default', { since: '2020-01-01T00:00:00Z', ...order });
const previewOrder = () => ({ condition: 'provider == "generic"', account_id: account.id });

test.each<[what: string, taken: number, ask: () => Promise<Answer>]>([
  ['previews of a condition', 10, () => gateway.admin.post('/admin/conditions/preview', previewOrder())],
  ['dry runs of a backfill', 10, () => backfill({ dry_run: true })],
  ['dry runs of a bulk job', 10, () => gateway.admin.post(orderPath, { action: 'ack', filter, dry_run: true })],
  ['backfills', 9, () => backfill({})],
  ['bulk orders', 9, () => gateway.admin.post(orderPath, { action: 'ack', filter })],
  ['replays of all failed events', 9, () => gateway.admin.post('/admin/events/replay-failed')],
])('of many %s at the same time, %i count or wait, and the others are refused', async (_, taken, ask) => {
  const asked = 20;
  let refused = 0;
  let answers: Promise<Answer>[] = [];
  await client.query('begin');
  try {
    // So that none ends by itself.
    await client.query('lock table events in access exclusive mode');
    answers = Array.from({ length: asked }, async () => {
      const answer = await ask();
      if (answer.status === 429) refused += 1;
      return answer;
    });
    await until('the others are refused', async () => refused === asked - taken);
  } finally {
    await client.query('rollback');
  }
  const all = await Promise.all(answers);
  const tooMany = all.filter(({ status }) => status === 429);
  expect(tooMany).toHaveLength(asked - taken);
  for (const { headers, body } of tooMany) {
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    expect(body.code).toBe('too_many_calls');
  }
  // Of the same order, the second one is a conflict.
  for (const { status } of all) expect([200, 202, 409, 429]).toContain(status);
});
