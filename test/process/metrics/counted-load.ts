import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type AdminClient, send } from '../../support/admin-client.ts';
import { eventsOf, expectDeliveries } from '../../support/deliveries-made.ts';
import type { RunningRole } from '../../support/running-role.ts';
import { until } from '../../support/until.ts';

/** The settings that the load needs: ten attempts within a second, and a limit that a webhook can exceed. */
export const loadSettings = {
  DELIVERY_SCHEDULE: Array.from({ length: 9 }, () => '20ms').join(),
  MAX_PAYLOAD_BYTES: '2000',
};

const attemptsOfFailure = 10;

/** A consumer that counts its connections and requests, notes their events, and answers all with one status. */
async function countingConsumer(status: number) {
  const counts = { requests: 0, connections: 0, inFlight: 0 };
  const events: string[] = [];
  const server = createServer((request, response) => {
    counts.requests += 1;
    events.push(...eventsOf([request]));
    request.resume().on('end', () => response.writeHead(status).end());
  });
  server.on('connection', () => {
    counts.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, counts, events };
}

/**
 * Sends webhooks of every result, waits until all deliveries and notifications have ended, and returns the series with the
 * values that a scrape has to show by what sender and consumers have counted.
 *
 * @param processes all that make deliveries
 */
export async function countedLoad(
  gateways: readonly { baseUrl: string; admin: AdminClient }[],
  processes: readonly Pick<RunningRole, 'stderr'>[],
) {
  const [first] = gateways;
  if (!first) throw new Error('no gateway');
  const [good, bad, sink] = [await countingConsumer(200), await countingConsumer(500), await countingConsumer(204)];
  const { admin } = first;
  const delivered = await admin.createAccount({ delivery_url: good.url });
  const exhausted = await admin.createAccount({ delivery_url: bad.url });
  // Without a secret, no webhook passes verification.
  const signed = await admin.createAccount({ skip_signature_verification: false });
  const disabled = await admin.createAccount({ enabled: false });
  const nowhere = await admin.createAccount({});
  const made = await admin.post(`/admin/accounts/${exhausted.id}/destinations`, {
    destination_type: 'webhook',
    name: 'Sink',
    config: { url: sink.url },
  });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const statuses = new Map<number, number>();
  let sent = 0;
  const post = async (account: { provider: string; account_slug: string }, body: string) => {
    const gateway = gateways[sent++ % gateways.length] ?? first;
    const { status, body: answer } = await send(gateway.baseUrl, account, body);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return answer?.id as string;
  };
  const numbered = (count: number, text: string) =>
    Array.from({ length: count }, (_, n) => JSON.stringify({ id: `${text}-${n}` }));
  const counts = { delivered: 60, duplicates: 15, exhausted: 3, rejected: 4, tooLarge: 2, unknown: 5 };
  const bodies = numbered(counts.delivered, 'one');
  const ids = await Promise.all(bodies.map((body) => post(delivered, body)));
  await Promise.all(bodies.slice(0, counts.duplicates).map((body) => post(delivered, body)));
  const failing = await Promise.all(numbered(counts.exhausted, 'bad').map((body) => post(exhausted, body)));
  await Promise.all(numbered(counts.rejected, 'forged').map((body) => post(signed, body)));
  for (let n = 0; n < counts.tooLarge; n++) await post(delivered, JSON.stringify({ id: 'x'.repeat(3_000) }));
  for (let n = 0; n < counts.unknown; n++) await post({ provider: `no-${n}`, account_slug: 'x' }, '{}');
  await post(disabled, '{}');
  await post({ provider: 'generic', account_slug: 'not-there' }, '{}');
  const withoutAddress = await post(nowhere, '{"id":"nowhere"}');
  for (const id of ids) await admin.eventually(id, (e) => e.delivery_status === 'delivered');
  for (const id of [...failing, withoutAddress])
    await admin.eventually(id, (e) => e.delivery_status === 'failed' && e.attempts === attemptsOfFailure);
  await until('all are notified', () => sink.counts.requests === counts.exhausted);
  const wanted = [...ids, ...failing.flatMap((id) => Array<string>(attemptsOfFailure).fill(id))];
  // Each of these is a first attempt that its process could not record.
  const { length: again } = await expectDeliveries([...good.events, ...bad.events], wanted, processes);
  const accepted = counts.delivered + counts.exhausted + 1;
  const refused = counts.tooLarge + 2;
  const all = accepted + counts.duplicates + counts.rejected + refused + counts.unknown;
  const attempts = (outcome: string) => `gateway_delivery_attempts_total{outcome="${outcome}"}`;
  const webhooks = (provider: string, result: string) =>
    `gateway_webhooks_received_total{provider="${provider}",result="${result}"}`;
  const requests = good.counts.requests + bad.counts.requests + sink.counts.requests;
  const connections = good.counts.connections + bad.counts.connections + sink.counts.connections;
  return {
    statuses,
    expected: new Map([
      [webhooks('generic', 'accepted'), accepted],
      [webhooks('generic', 'duplicate'), counts.duplicates],
      [webhooks('generic', 'rejected'), counts.rejected],
      ['gateway_webhooks_rejected_total{reason="no_secret_configured"}', counts.rejected],
      ['gateway_webhooks_rejected_total{reason="bad_signature"}', 0],
      [webhooks('generic', 'refused'), refused],
      [webhooks('unknown', 'refused'), counts.unknown],
      [webhooks('github', 'accepted'), 0],
      ['gateway_ingest_duration_seconds_count', all],
      ['gateway_ingest_batch_size_sum', accepted + counts.duplicates],
      [attempts('delivered'), good.counts.requests],
      [attempts('http_error'), bad.counts.requests],
      [attempts('no_delivery_url'), attemptsOfFailure],
      [attempts('timeout'), 0],
      [attempts('other'), 0],
      ['gateway_delivery_attempt_duration_seconds_count', good.counts.requests + bad.counts.requests],
      ['gateway_delivery_first_attempt_delay_seconds_count', accepted + again],
      ['gateway_delivery_connections_total{reused="true"}', requests - connections],
      ['gateway_delivery_connections_total{reused="false"}', connections],
      ['gateway_deliveries_exhausted_total', counts.exhausted + 1],
      ['gateway_notifications_total{channel="webhook",result="sent"}', counts.exhausted],
      ['gateway_notifications_total{channel="webhook",result="failed"}', 0],
      ['gateway_leases_lost_total', again],
    ]),
  };
}
