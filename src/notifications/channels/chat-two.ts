import { z } from 'zod';
import { headerValue } from '../../delivery/headers.ts';
import { secretsOfUrl } from '../../secrets/secret-mask.ts';
import { chatTwoMessage } from '../messages/chat-two-message.ts';
import type { Notice, Said } from '../notice.ts';
import { jsonOf, type Outbound, postJson } from './post-message.ts';
import { userAgent } from './user-agent.ts';

/** `/api/webhooks/{id}/{token}`, with or without a version. What goes on after it, such as `/slack`, answers otherwise. */
const discordPath = /^\/api(?:\/v\d+)?\/webhooks\/[^/]+\/[^/]+\/?$/;

/**
 * The address with `wait=true`, without which Discord answers before the message is saved and tells of no error then.
 * Other paths, and an address that says itself whether to wait, stay as they are.
 *
 * Source: https://discord.com/developers/docs/resources/webhook#execute-webhook
 */
export function waitingUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !discordPath.test(url.pathname) || url.searchParams.has('wait')) return text;
  url.search += url.search === '' ? '?wait=true' : '&wait=true';
  return url.href;
}

/** As with `Retry-After`: longer waits mean "not today". */
const longestAskedMs = 24 * 60 * 60 * 1000;

const rateLimited = z.object({ retry_after: z.number().nonnegative() });

/** Discord's 429 says in its body for how many seconds, with a fraction. */
function askedWaitMs(body: string): number | null {
  const parsed = rateLimited.safeParse(jsonOf(body));
  return parsed.success ? Math.min(Math.ceil(parsed.data.retry_after * 1000), longestAskedMs) : null;
}

/** Posts the message to a webhook of Discord's kind. Never rejects. */
export function sendToChatTwo(outbound: Outbound, config: { webhook_url: string }, notice: Notice): Promise<Said> {
  const url = waitingUrl(config.webhook_url);
  const body = Buffer.from(JSON.stringify(chatTwoMessage(notice)));
  const headers = [['idempotency-key', headerValue(notice.id)] as const, userAgent];
  const secrets = [...secretsOfUrl(config.webhook_url), url];
  return postJson(outbound, { url, headers, body, secrets, askedWaitMs });
}
