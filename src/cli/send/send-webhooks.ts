import { setTimeout as sleep } from 'node:timers/promises';
import { type Header, type InboundRequest, inboundRequest } from '../../providers/inbound-request.ts';
import { providers } from '../../providers/registry.ts';
import { isId } from '../../shared/is-id.ts';
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
 * @throws CliError if no gateway answers
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
  const target = `/${provider}/${slug}${signed.query}`;
  const { body } = signed;
  const sent = { url: new URL(base + target), headers: signed.headers, body, timeLimitMs, signal };
  const answer = await post(sent).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new CliError(
      exitCodes.failed,
      `the gateway does not answer at ${base}: ${error instanceof Error ? error.message : String(error)}`,
      'Check that it runs, and --address if webhooks have another address than the API.',
    );
  });
  const rawHeaders = signed.headers.flat();
  const request = inboundRequest({ rawHeaders, target, publicUrl: base, body, receivedAt: message.at });
  if (isAccepted(answer.status) && !isOfGateway(answer, provider, request))
    throw new CliError(
      exitCodes.failed,
      `what answers at ${base} with status ${answer.status} is not a webhook gateway`,
      'Check --address, or the address of the gateway without it.',
    );
  return sentOf(answer);
}

const isAccepted = (status: number) => status >= 200 && status < 300;

/** Whether a 2xx is that of a gateway: the usual answer with the event, or the one that the provider wants in its place. */
function isOfGateway({ body, contentType }: PostAnswer, provider: string, request: InboundRequest): boolean {
  const { id, duplicate } = objectOf(body);
  if (typeof id === 'string' && isId(id) && typeof duplicate === 'boolean') return true;
  const answers = providers.get(provider);
  const own =
    answers?.challenge?.(request) ?? answers?.unsignedCheck?.(request) ?? answers?.acknowledge?.(request)?.reply;
  return own !== undefined && own.body === body && mediaTypeOf(own.contentType) === mediaTypeOf(contentType);
}

/** Without parameters: a proxy may write them in another way. */
const mediaTypeOf = (contentType: string | null) => contentType?.split(';')[0]?.trim().toLowerCase();

function sentOf({ status, body, durationMs }: PostAnswer): SentWebhook {
  const answer = objectOf(body);
  const text = (name: string) => (typeof answer[name] === 'string' ? answer[name] : null);
  const accepted = isAccepted(status);
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
