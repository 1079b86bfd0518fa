import type { InboundAccount } from '../../src/accounts/account-directory.ts';
import { parsedCondition } from '../../src/conditions/parsed.ts';
import { type JudgedWebhook, wantedEvents } from '../../src/ingest/wanted-events.ts';
import { nowMs } from './clock.ts';
import { type BenchResult, percentile } from './report.ts';

/** Conditions of consumers, from the cheapest to those that search texts. The first one that reads the body pays for its parsing. */
const conditions = [
  'event_type == "invoice.paid"',
  'payload.present == "no"',
  'payload.data.object.amount_due > 1000',
  'event_type.startswith("invoice.") and payload.data.object.amount_due > 0 and not exists(payload.data.object.test)',
  'header["x-github-event"] == "push"',
  'matches(payload.data.object.description, "^ord(er)?[- ][0-9]+.*late$")',
];
const parsing = 'payload.present == "no"';

const webhooks = 200;
const bodyBytes = 1_000;

/** The microseconds that the choice of consumers takes for a webhook of 1 KB: medians over rounds of different webhooks. */
export async function benchConditions(options: { rounds: number }): Promise<BenchResult> {
  // One that does not parse counts as met, which takes no time.
  for (const condition of conditions)
    if (!parsedCondition(condition).ok) throw new Error(`${condition} does not parse`);
  const samples = Array.from({ length: webhooks }, (_, n) => webhook(n));
  const timed = new Map(conditions.map((condition) => [condition, [] as number[]]));
  for (let round = 0; round < options.rounds; round++)
    for (const [condition, times] of timed) times.push(roundUs(condition, samples));
  const parsingUs = percentile(timed.get(parsing) ?? [], 0.5);
  const rows = [...timed].map(([condition, times]) => {
    const us = percentile(times, 0.5);
    const reads = condition.includes('payload');
    return {
      condition: `\`${condition}\``,
      µs: us.toFixed(1),
      'without the parsing': reads ? Math.max(0, us - parsingUs).toFixed(1) : us.toFixed(1),
    };
  });
  return { settings: { 'bytes of a body': String(bodyBytes), rounds: String(options.rounds) }, rows };
}

/** The mean time for one webhook, in microseconds. */
function roundUs(condition: string, samples: readonly JudgedWebhook[]): number {
  const account: Pick<InboundAccount, 'consumers'> = {
    consumers: [{ id: null, name: 'default', enabled: true, condition }],
  };
  const fromMs = nowMs();
  for (const sample of samples) wantedEvents(account, () => sample);
  return ((nowMs() - fromMs) * 1000) / samples.length;
}

function webhook(n: number): JudgedWebhook {
  const object = { id: `in_${n}`, amount_due: n * 100, currency: 'eur', description: `order ${n}, paid late` };
  const body = { id: `evt_${n}`, type: 'invoice.paid', present: 'yes', data: { object }, filler: '' };
  body.filler = 'x'.repeat(bodyBytes - JSON.stringify(body).length);
  return {
    ...{ provider: 'stripe', accountSlug: 'shop', appKey: 'shop', eventType: 'invoice.paid', externalId: `evt_${n}` },
    headers: [
      ['Content-Type', 'application/json'],
      ['User-Agent', 'bench'],
      ['X-GitHub-Event', 'push'],
    ],
    body: Buffer.from(JSON.stringify(body)),
  };
}
