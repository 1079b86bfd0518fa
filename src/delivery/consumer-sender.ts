import { bearerHeader } from '../accounts/authentication.ts';
import type { DeliveryTarget } from '../accounts/delivery-target.ts';
import { AccessTokens } from './access-tokens.ts';
import { failedResult, type SendRequest, type SendResult } from './exchange.ts';
import { DeliveryFailure } from './failure.ts';
import type { Sender } from './send.ts';

type Target = Pick<DeliveryTarget & { ok: true }, 'url' | 'tls' | 'oauth'>;

/** What came of a POST to a consumer. */
export type ConsumerResult = SendResult & {
  /** The access token that it was sent with. A consumer may repeat it in its answer. */
  token?: string;
};

/** Posts to consumers, with what each demands of TLS, and with an access token if it wants one. */
export class ConsumerSender {
  readonly #sender: Pick<Sender, 'post'>;
  readonly #tokens: AccessTokens;

  /** @param sender also makes the requests for tokens, so that their addresses are checked, too. */
  constructor(sender: Pick<Sender, 'post'>) {
    this.#sender = sender;
    this.#tokens = new AccessTokens(sender);
  }

  /** Makes one POST. The time limit is for all that it needs. Never rejects. */
  post(target: Target, request: Omit<SendRequest, 'url' | 'tls'>): Promise<ConsumerResult> {
    const { url, tls, oauth } = target;
    const sent = { ...request, url, tls };
    return oauth === null ? this.#sender.post(sent) : this.#withToken(oauth, sent);
  }

  /** A consumer that refuses the token gets a new one, once: it may have been revoked. */
  async #withToken(client: NonNullable<Target['oauth']>, request: SendRequest): Promise<ConsumerResult> {
    const beganMs = performance.now();
    const spentMs = () => Math.round(performance.now() - beganMs);
    const leftMs = () => Math.max(1, request.timeLimitMs - spentMs());
    const send = async (token: string): Promise<ConsumerResult> => {
      const headers = [...request.headers, bearerHeader(token)];
      const result = await this.#sender.post({ ...request, headers, timeLimitMs: leftMs() });
      return { ...result, durationMs: spentMs(), token };
    };
    const first = await this.#tokens.of(client, leftMs());
    if (!first.ok) return noToken(first.error, spentMs());
    const result = await send(first.token);
    if (result.responseCode !== 401 || result.outcome === 'delivered') return result;
    if (!this.#tokens.refused(client, first.token)) return result;
    const second = await this.#tokens.of(client, leftMs());
    if (!second.ok)
      return { ...noToken(`${second.error}, after the consumer has answered 401`, spentMs()), ...sentWith(result) };
    return second.token === first.token ? result : send(second.token);
  }
}

/** What was sent, although the attempt ends without an answer that counts. */
const sentWith = ({ requestHeaders, connectMs, answerMs, token }: ConsumerResult) => ({
  ...{ requestHeaders, connectMs, answerMs },
  ...(token !== undefined && { token }),
});

const noToken = (error: string, durationMs: number): ConsumerResult =>
  failedResult(new DeliveryFailure('token_error', error), {
    requestHeaders: null,
    durationMs,
    connectMs: null,
    answerMs: null,
  });
