import { setTimeout as sleep } from 'node:timers/promises';
import type { Header } from '../../providers/inbound-request.ts';
import type { Cli } from '../cli.ts';
import { CliError, exitCodes } from '../exit.ts';
import { type PostAnswer, post } from '../post.ts';
import { type MakeContent, newMessage } from './make-message.ts';
import type { SendingAccount } from './sending-account.ts';
import { newSigningSecret } from './signing/keys.ts';
import { signMessage } from './signing/signers.ts';

/** For one webhook. The gateway answers after its commit, in a few milliseconds. */
const timeLimitMs = 30_000;
/** Webhooks that wait for their answer at the same time, with `--rate`. */
const mostInFlight = 100;

export interface SendOptions {
  make: MakeContent;
  account: SendingAccount;
  /** The base address of the gateway, for the request and for signatures that cover it. */
  base: string;
  headers: readonly Header[];
  wrongSignature: boolean;
  times: number;
  /** Webhooks a second; null: one after another. */
  rate: number | null;
}

/** What the gateway answered to one webhook. */
export interface SentWebhook {
  status: number;
  /** Null: some providers want an answer without it. */
  event_id: string | null;
  event_type: string | null;
  duplicate: boolean;
  /** The code of the problem; null: it was accepted. */
  problem: string | null;
  ms: number;
}

/**
 * Sends webhooks, with new ids each, and hands over each answer.
 *
 * @throws CliError if the gateway does not answer
 */
export async function sendWebhooks(
  { signal }: Pick<Cli, 'signal'>,
  options: SendOptions,
  answeredOne: (sent: SentWebhook) => void,
): Promise<void> {
  const { times, rate } = options;
  const startedMs = performance.now();
  const inFlight = new Set<Promise<void>>();
  let failed: unknown;
  for (let n = 0; n < times && !signal.aborted && failed === undefined; n++) {
    const delayMs = rate === null ? 0 : startedMs + (n * 1000) / rate - performance.now();
    if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => undefined);
    const sending = sendOne(options, signal).then(answeredOne, (error: unknown) => {
      failed ??= error;
    });
    inFlight.add(sending);
    void sending.finally(() => inFlight.delete(sending));
    if (rate === null || inFlight.size >= mostInFlight) await Promise.race(inFlight);
  }
  await Promise.all(inFlight);
  if (failed !== undefined) throw failed;
}

async function sendOne(
  { make, account, base, headers, wrongSignature }: SendOptions,
  signal: AbortSignal,
): Promise<SentWebhook> {
  const { provider, slug, key } = account;
  const message = newMessage(make, { base, path: `/${provider}/${slug}`, headers });
  const used = wrongSignature ? { ...key, secret: newSigningSecret(provider) } : key;
  const signed = signMessage(provider, message, used);
  const url = new URL(`${base}/${provider}/${slug}${signed.query}`);
  try {
    return sentOf(await post({ url, headers: signed.headers, body: signed.body, timeLimitMs, signal }));
  } catch (error) {
    if (signal.aborted) throw error;
    throw new CliError(
      exitCodes.failed,
      `the gateway does not answer at ${base}: ${error instanceof Error ? error.message : String(error)}`,
      'Check that it runs, and --address if webhooks have another address than the API.',
    );
  }
}

function sentOf({ status, body, durationMs }: PostAnswer): SentWebhook {
  const answer = objectOf(body);
  const text = (name: string) => (typeof answer[name] === 'string' ? answer[name] : null);
  const accepted = status >= 200 && status < 300;
  return {
    status,
    event_id: accepted ? text('id') : null,
    event_type: accepted ? text('event_type') : null,
    duplicate: answer.duplicate === true,
    problem: accepted ? null : (text('code') ?? 'unknown'),
    ms: durationMs,
  };
}

function objectOf(body: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}
