import { z } from 'zod';
import { headerValue } from '../../delivery/headers.ts';
import { secretsOfUrl } from '../../secrets/secret-mask.ts';
import { parsedJson } from '../../shared/bounded-json.ts';
import { chatTwoMessage } from '../messages/chat-two-message.ts';
import type { Notice, Said } from '../notice.ts';
import { type Outbound, postJson } from './post-message.ts';
import { userAgent } from './user-agent.ts';

/**
 * `/api/webhooks/{id}/{token}`, with or without a version. Paths that continue, such as `/slack`, behave differently.
 */
const discordPath = /^\/api(?:\/v\d+)?\/webhooks\/[^/]+\/[^/]+\/?$/;

/**
 * Adds `wait=true` to the URL. Without it, Discord responds before the message is saved and does not report errors.
 * URLs with other paths or with their own `wait` stay unchanged.
 *
 * Source: https://discord.com/developers/docs/resources/webhook#execute-webhook
 */
export function waitingUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !discordPath.test(url.pathname) || url.searchParams.has('wait')) return text;
  url.search += url.search === '' ? '?wait=true' : '&wait=true';
  return url.href;
}

/** Longer waits are cut, as with `Retry-After`. */
const longestAskedMs = 24 * 60 * 60 * 1000;

const rateLimited = z.object({ retry_after: z.number().nonnegative() });

/** The wait in the body of Discord's 429, given in seconds with a fraction; null when absent. */
function askedWaitMs(body: string): number | null {
  const parsed = rateLimited.safeParse(parsedJson(body));
  return parsed.success ? Math.min(Math.ceil(parsed.data.retry_after * 1000), longestAskedMs) : null;
}

/** Posts the message to a Discord-compatible webhook. Never rejects. */
export function sendToChatTwo(outbound: Outbound, config: { webhook_url: string }, notice: Notice): Promise<Said> {
  const url = waitingUrl(config.webhook_url);
  const body = Buffer.from(JSON.stringify(chatTwoMessage(notice)));
  const headers = [['idempotency-key', headerValue(notice.id)] as const, userAgent];
  const secrets = [...secretsOfUrl(config.webhook_url), url];
  return postJson(outbound, { url, headers, body, secrets, askedWaitMs });
}
