import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Account, accounts } from './consumer.ts';
import { Random } from './random.ts';
import { signingSecret } from './stage.ts';

/** One webhook, as its provider knows it. */
export interface Webhook {
  externalId: string;
  account: Account;
  /** Whether its payload meets the condition of the consumer `some`. */
  isWanted: boolean;
  /** The id from the first 202; null while none arrived. */
  eventId: string | null;
  /** Answers that refused it: a status, or null for a broken connection or no answer in time. */
  refused: (number | null)[];
  /** A later 202 with another id: the webhook would be stored twice. */
  otherIds: string[];
}

const accepted = z.object({ id: z.string(), duplicate: z.boolean() });
/** Longer than PostgreSQL's statement limit (10 s), after which the api answers 503. */
const answerLimitMs = 15_000;
/** A provider sends a refused webhook again, in this share of the cases, so that some are lost before they were accepted. */
const resentShare = 0.7;
const resends = 3;

const shares: Record<Account, number> = { steady: 0.4, other: 0.24, flaky: 0.18, slow: 0.1, broken: 0.08 };

function accountFor(random: Random): Account {
  let left = random.next();
  for (const account of accounts) {
    left -= shares[account];
    if (left < 0) return account;
  }
  return 'steady';
}

/** Sends webhooks at a steady pace to the addresses round-robin, and resends refused ones. Returns what became of each. */
export async function sendWebhooks(options: {
  seed: number;
  urls: string[];
  loadS: number;
  /** Webhooks per second. */
  rate: number;
}): Promise<Webhook[]> {
  const { urls, loadS, rate } = options;
  const random = new Random(options.seed + 1);
  const webhooks: Webhook[] = [];
  const startedMs = performance.now();
  const sending: Promise<void>[] = [];
  for (let n = 0; n < loadS * rate; n++) {
    await sleep(Math.max(0, (n * 1000) / rate - (performance.now() - startedMs)));
    const webhook: Webhook = {
      ...{ externalId: `w-${n}`, account: accountFor(random), isWanted: n % 2 === 0 },
      ...{ eventId: null, refused: [], otherIds: [] },
    };
    webhooks.push(webhook);
    const pauses = Array.from({ length: resends }, () => (random.chance(resentShare) ? random.between(500, 2_000) : 0));
    sending.push(deliver(webhook, urls, n, pauses));
  }
  await Promise.all(sending);
  return webhooks;
}

async function deliver(webhook: Webhook, urls: string[], n: number, pausesMs: number[]): Promise<void> {
  for (let tried = 0; ; tried++) {
    const answer = await post(`${urls[(n + tried) % urls.length]}/generic/${webhook.account}`, webhook);
    if (typeof answer === 'string') {
      if (webhook.eventId !== null && webhook.eventId !== answer) webhook.otherIds.push(answer);
      webhook.eventId ??= answer;
      return;
    }
    webhook.refused.push(answer);
    const pauseMs = pausesMs[tried];
    if (!pauseMs) return;
    await sleep(pauseMs);
  }
}

/** The id of the accepted webhook, the status of another answer, or null without an answer. */
async function post(url: string, { externalId: id, isWanted }: Webhook): Promise<string | number | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-webhook-secret': signingSecret },
      body: JSON.stringify({ id, type: 'order.created', wanted: isWanted, note: 'x'.repeat(200) }),
      signal: AbortSignal.timeout(answerLimitMs),
    });
    const text = await response.text();
    // Of a balancer: the connection of the api broke, as a sender without a balancer would see it.
    if (response.status === 502) return null;
    return response.status === 202 ? accepted.parse(JSON.parse(text)).id : response.status;
  } catch (error) {
    if (error instanceof z.ZodError) throw error;
    return null;
  }
}
