import { hash } from 'node:crypto';
import type { InboundAccount } from '../accounts/account-directory.ts';
import type { AcceptedBy } from '../accounts/secret-uses.ts';
import { newEventId } from '../events/event-id.ts';
import type { RejectedEvent } from '../events/rejections.ts';
import type { ReceivedWebhook } from '../events/transitions/received.ts';
import { dedupWindowS } from '../providers/dedup-window.ts';
import { generatedId } from '../providers/external-id.ts';
import type { Header, InboundRequest } from '../providers/inbound-request.ts';
import type { Acknowledgement, ChallengeAnswer, ExternalId, Provider, RejectionReason } from '../providers/provider.ts';
import { storedHeaders } from '../providers/stored-headers.ts';
import { verifyInbound } from '../providers/verification.ts';
import { activeTraceparent } from '../telemetry/tracing/spans.ts';
import { wantedEvents } from './wanted-events.ts';

/** Larger unverified bodies are not parsed, because anyone can send them. Most providers' webhooks are smaller. */
const maxReadBytes = 16 * 1024;
/** The headers' JSON, in bytes. Providers send 1 to 2 KB of headers; Node accepts 16 KiB. */
const maxHeaderBytes = 8 * 1024;
/** Characters. A content type is short, and the full header is stored with the others. */
const maxContentTypeLength = 255;

/**
 * A webhook as it arrived at an address of `provider`. Its methods judge it by an account and return what is stored of
 * it. They change nothing, so they can be called again for the account as it is now.
 */
export class InboundWebhook {
  readonly provider: Provider;
  readonly #request: InboundRequest;

  constructor(provider: Provider, request: InboundRequest) {
    this.provider = provider;
    this.#request = request;
  }

  /** By which secret the account accepts it, or why it does not. */
  judge(
    account: InboundAccount,
  ): { acceptedBy: AcceptedBy } | 'disabled' | { reason: RejectionReason; detail: string | null } {
    if (!account.enabled) return 'disabled';
    const { skipSignatureVerification: skip, secrets, config, unreadable } = account;
    let acceptedBy: AcceptedBy = 'unsigned';
    const verdict = verifyInbound(this.provider, { skip, ...secrets, config, unreadable }, this.#request, (slot) => {
      acceptedBy = slot;
    });
    return verdict.ok ? { acceptedBy } : { reason: verdict.reason, detail: verdict.detail ?? null };
  }

  /** The response if it is a challenge, not an event; else null. Only for a webhook that the account accepts. */
  challenge(): ChallengeAnswer | null {
    return this.provider.challenge?.(this.#request) ?? null;
  }

  /** The response if it is an unsigned check of the address; else null. Only for a webhook that was not verified. */
  unsignedCheck(): ChallengeAnswer | null {
    return this.provider.unsignedCheck?.(this.#request) ?? null;
  }

  /** The response that the provider requires once the webhook is stored; null for the usual one. */
  acknowledgement(): Acknowledgement | null {
    return this.provider.acknowledge?.(this.#request) ?? null;
  }

  /** Is the same for all tries of the provider to send this webhook; null if nothing tells them from another webhook. */
  dedupKey(account: InboundAccount): string | null {
    return this.#dedupKey(account, this.provider.externalId(this.#request, configOf(account)));
  }

  /**
   * What is stored of an accepted webhook, with an event for each consumer that wants it. Each call returns other ids.
   *
   * @param acceptedAt later than the receipt for a webhook that was rejected first.
   */
  toEvents(account: InboundAccount, acceptedAt?: Date): { received: ReceivedWebhook; exceeded: readonly string[] } {
    const { provider } = this;
    const request = this.#request;
    const config = configOf(account);
    const externalId = provider.externalId(request, config);
    const identity = this.#identity(account, acceptedAt);
    const eventType = provider.eventType(request, config);
    const headers = this.#headers(account);
    const { body } = request;
    const { consumerIds, unmatched, exceeded } = wantedEvents(account, () => ({
      ...{ ...identity, eventType, externalId: externalId.id, headers, body },
    }));
    const [consumerId = null, ...others] = consumerIds;
    return {
      received: {
        ...identity,
        ...{ eventType, externalId: externalId.id },
        dedupKey: this.#dedupKey(account, externalId),
        dedupWindowS: dedupWindowS(config),
        headers: JSON.stringify(headers),
        contentType: request.header('content-type'),
        body,
        traceparent: activeTraceparent(),
        consumerId,
        siblings: others.map((id) => ({ id: newEventId(identity.receivedAt), consumerId: id })),
        skippedReason: consumerIds.length === 0 ? 'no_consumer_matched' : null,
        unmatched,
        consumersRevision: account.consumersRevision,
      },
      exceeded,
    };
  }

  /**
   * What is stored of a webhook that failed verification: the beginning of its body, the hash of the whole body, and the
   * headers that fit into 8 KiB.
   *
   * @param bodyBytes the number of bytes of the body to store.
   */
  toRejectedEvent(
    account: InboundAccount,
    { reason, detail, bodyBytes }: { reason: string; detail: string | null; bodyBytes: number },
  ): RejectedEvent {
    const request = this.#request;
    const { eventType, externalId } = this.#unverifiedTypeAndId(configOf(account));
    const all = this.#headers(account);
    const headers = withinBytes(all, maxHeaderBytes);
    return {
      ...this.#identity(account),
      eventType,
      externalId: externalId.id,
      headers: JSON.stringify(headers),
      headersTruncated: headers.length < all.length,
      contentType: request.header('content-type')?.slice(0, maxContentTypeLength) ?? null,
      body: request.body.subarray(0, bodyBytes),
      payloadBytes: request.body.length,
      payloadSha256: Buffer.from(request.bodyHash(), 'hex'),
      ...{ reason, detail },
    };
  }

  #dedupKey(account: InboundAccount, externalId: ExternalId): string | null {
    const key = this.provider.dedupKey(this.#request, externalId, configOf(account));
    return key && dedupKeyOf(account.id, key);
  }

  #identity(account: InboundAccount, receivedAt = this.#request.receivedAt) {
    return {
      id: newEventId(receivedAt),
      accountId: account.id,
      provider: this.provider.name,
      accountSlug: account.accountSlug,
      appKey: account.appKey,
      receivedAt,
    };
  }

  #headers(account: InboundAccount): Header[] {
    return storedHeaders(this.provider, this.#request, account.secrets);
  }

  /** With a body over 16 KiB, the type is null and the id generated. */
  #unverifiedTypeAndId(config: object): { eventType: string | null; externalId: ExternalId } {
    const { provider } = this;
    const request = this.#request;
    if (request.body.length > maxReadBytes) return { eventType: null, externalId: generatedId(request) };
    return { eventType: provider.eventType(request, config), externalId: provider.externalId(request, config) };
  }
}

/** The account's config; empty if it cannot be read, which happens only when verification is skipped. */
const configOf = (account: InboundAccount): object => account.config ?? {};

/** The stored key for an account and the provider's key: 128 bits of a SHA-256 hash, written as a UUID. */
function dedupKeyOf(accountId: string, key: Uint8Array): string {
  const hex = hash('sha256', Buffer.concat([Buffer.from(accountId), key]), 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** The headers that fit into `maxBytes`, in their order. A header that does not fit is skipped; later ones may fit. */
function withinBytes(headers: readonly Header[], maxBytes: number): Header[] {
  let left = maxBytes;
  return headers.filter((header) => {
    const bytes = Buffer.byteLength(JSON.stringify(header)) + 1;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
}
