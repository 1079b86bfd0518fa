import { LRUCache } from 'lru-cache';
import * as oauth from 'oauth4webapi';
import type { OAuthClient } from '../accounts/authentication.ts';
import { keptAnswerBytes } from '../shared/kept-answer.ts';
import { answeredText } from './answer.ts';
import type { SendResult } from './exchange.ts';
import { duration } from './failure.ts';
import type { Sender } from './send.ts';
import { parseTarget } from './target.ts';

/** `error` is a text for operators; it contains nothing of the answer. */
export type AccessToken = { ok: true; token: string } | { ok: false; error: string };

/** Tokens that are kept: one for each client of a consumer. */
const maxTokens = 1_000;
/** The lifetime of a token whose answer names none. */
const unnamedLifetimeMs = 5 * 60_000;
/** A token is renewed this long before it ends: longer than an attempt takes. One that lives shorter, at half of its life. */
const marginMs = 90_000;
/** The request for a token, which attempts with different time limits may share. */
const requestLimitMs = 10_000;
/** A consumer that refuses new tokens, too, causes one request for a token in this time. */
const renewalPauseMs = 60_000;
/** A token is asked for again after a day, also if its answer names a longer life. */
const longestMs = 24 * 3_600_000;

/** The errors of RFC 6749, section 5.2, and RFC 8707. Other texts of an answer are not repeated. */
const knownErrors = new Set([
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'unauthorized_client', 'unsupported_grant_type'],
  ...['invalid_scope', 'invalid_target', 'server_error', 'temporarily_unavailable'],
]);

/**
 * The access tokens with which deliveries authenticate (OAuth 2 client credentials: RFC 6749, section 4.4). They are
 * kept in the memory of this process. All attempts that need the same token at the same time share one request for it.
 */
export class AccessTokens {
  readonly #sender: Pick<Sender, 'post'>;
  readonly #kept = new LRUCache<string, string>({ max: maxTokens, ttl: unnamedLifetimeMs });
  readonly #asked = new Map<string, Promise<AccessToken>>();
  /** The clients whose token was renewed because a consumer has refused it. */
  readonly #renewed = new LRUCache<string, true>({ max: maxTokens, ttl: renewalPauseMs });

  constructor(sender: Pick<Sender, 'post'>) {
    this.#sender = sender;
  }

  /**
   * The token of a client. Never rejects.
   *
   * @param timeLimitMs of the caller. The request for the token goes on when it is over: others may wait for it.
   */
  async of(client: OAuthClient, timeLimitMs: number): Promise<AccessToken> {
    const kept = this.#kept.get(client.key);
    if (kept !== undefined) return { ok: true, token: kept };
    let asked = this.#asked.get(client.key);
    if (!asked) {
      asked = this.#ask(client).finally(() => this.#asked.delete(client.key));
      this.#asked.set(client.key, asked);
    }
    return within(asked, timeLimitMs, client);
  }

  /**
   * Notes that a consumer has refused a token.
   *
   * @returns whether there may be another one: this one was renewed already, or is renewed now.
   */
  refused({ key }: OAuthClient, token: string): boolean {
    if (this.#kept.peek(key) !== token) return true;
    if (this.#renewed.has(key)) return false;
    this.#renewed.set(key, true);
    this.#kept.delete(key);
    return true;
  }

  async #ask(client: OAuthClient): Promise<AccessToken> {
    let answer: SendResult | null = null;
    const server = { issuer: client.tokenUrl, token_endpoint: client.tokenUrl };
    const secret = client.clientAuth === 'body' ? oauth.ClientSecretPost : oauth.ClientSecretBasic;
    const { scope, audience } = client;
    try {
      const response = await oauth.clientCredentialsGrantRequest(
        server,
        { client_id: client.clientId },
        secret(client.clientSecret),
        { ...(scope !== undefined && { scope }), ...(audience !== undefined && { audience }) },
        {
          [oauth.allowInsecureRequests]: true,
          [oauth.customFetch]: async (url, { headers, body }) => {
            answer = await this.#post(url, { headers, body: String(body) });
            return responseOf(answer);
          },
        },
      );
      const {
        access_token: token,
        token_type: type,
        expires_in: seconds,
      } = await oauth.processClientCredentialsResponse(server, { client_id: client.clientId }, response);
      if (type !== 'bearer') return failed(client, 'answered with a token that is no bearer token');
      if (!/^[\x21-\x7e]+$/.test(token)) return failed(client, 'answered with a token that no header can carry');
      const lifeMs = Math.min(seconds === undefined ? unnamedLifetimeMs : seconds * 1000, longestMs);
      const ttl = Math.floor(Math.max(lifeMs - marginMs, lifeMs / 2));
      // A lifetime of 0 is for the attempts that wait for it.
      if (ttl > 0) this.#kept.set(client.key, token, { ttl });
      return { ok: true, token };
    } catch (error) {
      return { ok: false, error: `no access token: ${failureText(client, answer, error)}` };
    }
  }

  #post(url: string, request: { headers: Record<string, string>; body: string }) {
    return this.#sender.post({
      url,
      headers: Object.entries(request.headers),
      body: Buffer.from(request.body, 'utf8'),
      timeLimitMs: requestLimitMs,
      nowMs: Date.now,
      // The library expects 200 only, as RFC 6749 says.
      isSuccess: (status) => status === 200,
    });
  }
}

const peerOf = ({ tokenUrl }: OAuthClient): string => {
  const target = parseTarget(tokenUrl);
  return target.ok ? target.peer : 'the token endpoint';
};

const failed = (client: OAuthClient, text: string): AccessToken => ({
  ok: false,
  error: `no access token: ${peerOf(client)} ${text}`,
});

function failureText(client: OAuthClient, answer: SendResult | null, error: unknown): string {
  if (answer === null)
    return `the request could not be made (${error instanceof Error ? error.name : 'unknown reason'})`;
  if (answer.outcome !== 'delivered') {
    const named = error instanceof oauth.ResponseBodyError && knownErrors.has(error.error) ? `: ${error.error}` : '';
    // Without the target of a redirect, which the endpoint chooses.
    return answer.responseCode === null ? answer.error : `${answeredText(peerOf(client), answer.responseCode)}${named}`;
  }
  if (Buffer.byteLength(answer.responseBody) >= keptAnswerBytes - 4)
    return `${peerOf(client)} answered with more than ${keptAnswerBytes / 1024} KiB`;
  const isJson = !(error instanceof oauth.OperationProcessingError && error.code === oauth.PARSE_ERROR);
  return `${peerOf(client)} answered 200 ${isJson ? 'without a usable access_token' : 'with something that is not JSON'}`;
}

/** The library reads the answer as one of `fetch`. A body that is not JSON is found when it is parsed. */
function responseOf(answer: SendResult): Response {
  if (answer.responseCode === null) throw new Error('no response');
  const isEmpty = [204, 205, 304].includes(answer.responseCode);
  const body = answer.outcome === 'delivered' ? neededOf(answer.responseBody) : answer.responseBody;
  return new Response(isEmpty ? null : body, {
    status: answer.responseCode,
    headers: { 'content-type': 'application/json' },
  });
}

/**
 * What is needed of a token answer. The library would check an `id_token`, of which nothing is known here, and refuse an
 * `expires_in` of null.
 */
function neededOf(body: string): string {
  try {
    const { access_token, token_type, expires_in } = JSON.parse(body);
    return JSON.stringify({ access_token, token_type, ...(expires_in !== null && { expires_in }) });
  } catch {
    return body;
  }
}

async function within(asked: Promise<AccessToken>, timeLimitMs: number, client: OAuthClient): Promise<AccessToken> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<AccessToken>((resolve) => {
    timer = setTimeout(() => resolve(failed(client, `did not answer within ${duration(timeLimitMs)}`)), timeLimitMs);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
