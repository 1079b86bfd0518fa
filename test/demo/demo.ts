import { randomBytes } from 'node:crypto';
import { type DemoConsumer, startDemoConsumer } from './demo-consumer.ts';
import { follow } from './follow.ts';
import type { Accepted, Account, DemoEvent, Gateway } from './gateway.ts';
import type { Screen } from './screen.ts';
import { cut, span } from './timeline.ts';
import { bytesOf, makeSecrets, type Sample, type Secrets, samples } from './webhooks.ts';

interface Sent {
  sample: Sample;
  accepted: Accepted;
  tookMs: number;
}

export interface Demo {
  gateway: Gateway;
  screen: Screen;
  signal: AbortSignal;
}

/** Runs the demo. It deletes everything that it created except the events, also when it fails. */
export async function demonstrate({ gateway, screen, signal }: Demo): Promise<void> {
  await gateway.check();
  const bodies = await Promise.all(samples.map(bytesOf));
  const consumer = await startDemoConsumer((body) => {
    const index = bodies.findIndex((bytes) => body.equals(bytes));
    return samples[index]?.failures ?? [];
  });
  const accounts: Account[] = [];
  try {
    const secrets = makeSecrets();
    screen.line(`Gateway   ${gateway.url}`);
    screen.line(`Consumer  ${consumer.url}`);
    screen.line();
    screen.line('1. Accounts: who may send, and where to deliver');
    screen.line();
    await createAccounts(gateway, consumer, secrets, accounts);
    for (const { provider, account_slug } of accounts) screen.line(`   POST /${provider}/${account_slug}`);

    screen.line();
    screen.line('2. Webhooks, as providers send them; 202 means stored');
    screen.line();
    const sent: Sent[] = [];
    for (const [index, sample] of samples.entries()) {
      signal.throwIfAborted();
      const account = accounts.find(({ provider }) => provider === sample.provider);
      const body = bodies[index];
      if (!account || !body) throw new Error(`the sample ${sample.file} has no account or no body`);
      const startedMs = performance.now();
      const accepted = await gateway.send(account, { ...sample.webhook(account, secrets), body });
      sent.push({ sample, accepted, tookMs: performance.now() - startedMs });
      const proof = sample.proof.padEnd(24);
      screen.line(`   202 in ${span(performance.now() - startedMs).padEnd(6)}  ${proof}  ${sample.file}`);
    }

    screen.line();
    screen.line('3. Deliveries');
    const events = await followAll(sent, { gateway, consumer, screen, signal });
    conclude(events, consumer, screen);
  } finally {
    for (const account of accounts) await gateway.deleteAccount(account.id);
    await consumer.close();
  }
  screen.line('The accounts of this demo are deleted; its events stay readable:');
  screen.line(`  GET ${gateway.url}/admin/events?app_key=demo`);
}

async function createAccounts(
  gateway: Gateway,
  consumer: DemoConsumer,
  secrets: Secrets,
  created: Account[],
): Promise<void> {
  const account_slug = `demo-${randomBytes(4).toString('hex')}`;
  const common = { account_slug, app_key: 'demo', delivery_url: consumer.url, delivery_secret: consumer.secret };
  created.push(
    await gateway.createAccount({ ...common, provider: 'generic', signing_secret_current: secrets.generic }),
  );
  created.push(
    await gateway.createAccount({ ...common, provider: 'support_chat', signing_secret_current: secrets.supportChat }),
  );
}

async function followAll(sent: Sent[], context: Demo & { consumer: DemoConsumer }): Promise<DemoEvent[]> {
  const events: DemoEvent[] = [];
  for (const { sample, accepted } of sent) {
    const { screen } = context;
    screen.line();
    screen.line(`   ${sample.provider}: ${accepted.event_type ?? 'no event type'}`);
    screen.line(`   event ${accepted.id}, ${cut(accepted.external_id, 80 - 49)}`);
    if (sample.failures.length > 0)
      screen.line('   the consumer fails it twice; by default it is retried after 10 s and 30 s');
    events.push(await follow(accepted.id, context));
  }
  return events;
}

function conclude(events: DemoEvent[], consumer: DemoConsumer, screen: Screen): void {
  const posts = [...consumer.verified.values()].reduce((sum, count) => sum + count, 0);
  screen.line();
  screen.line(`${events.length} events delivered in ${posts} attempts; the consumer found every signature right.`);
  screen.line();
  screen.line('4. The same deliveries in the Temporal Web UI');
  screen.line();
  for (const { workflow, id } of events) {
    if (workflow === null) screen.line(`   event-${id}: Temporal cannot be asked at this moment`);
    else screen.line(`   ${workflow.url ?? `${workflow.id} (TEMPORAL_UI_URL is not set, so there is no link)`}`);
  }
  screen.line();
}
