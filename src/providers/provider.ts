import type { InboundRequest } from './inbound-request.ts';

/** Why a webhook is refused: kept as the event's `rejection_reason`, never told to the sender. */
export type RejectionReason =
  | 'unknown_provider'
  | 'no_secret_configured'
  | 'missing_original_url'
  | 'missing_signature'
  | 'bad_signature';

export type Verification = { ok: true } | { ok: false; reason: RejectionReason };

/** What one try at verifying goes by. An object, so that settings of an account can join the secret. */
export type VerificationKey = { secret: string };

/** What an account says about verification (spec 5.4); null and empty secrets verify nothing. */
export type VerificationSettings = {
  /** `skip_signature_verification` */
  skip: boolean;
  /** `signing_secret_current` */
  current: string | null;
  /** `signing_secret_previous` */
  previous: string | null;
};

/** `own`: the provider named the event itself. Otherwise the id was made here and says nothing about duplicates. */
export type ExternalId = { id: string; own: boolean };

/** The answer to a provider that wants to see that the address is ours before it sends events. */
export type ChallengeAnswer = { status: number; contentType: string; body: string };

/**
 * All that differs between providers. Adding one is one file with such an object and one line in `registry.ts`.
 *
 * Every function is pure, takes any bytes whatever and never throws. Callers verify with `verifyInbound`, which knows
 * about rotation and skipped verification, and store what `storedHeaders` returns.
 */
export type Provider = {
  /** The first segment of the ingestion path and the account's `provider`. */
  readonly name: string;
  /** Headers, in lower case, whose whole value is or may be the secret: never stored or forwarded. */
  readonly secretHeaders: readonly string[];
  /** Whether the request was made by someone who knows `key.secret`, which is never empty here. */
  verify(request: InboundRequest, key: VerificationKey): Verification;
  /** The event's type in the words of the service (spec 6.1), at most 255 characters, or null. */
  eventType(request: InboundRequest): string | null;
  /** The event's id (spec 6.2): 1 to 255 characters that PostgreSQL can store. */
  externalId(request: InboundRequest): ExternalId;
  /** Two webhooks of one account with the same key are duplicates; null: never one. */
  dedupKey(request: InboundRequest, externalId: ExternalId): Uint8Array | null;
  /** The answer, if this request is a challenge and no event; for those that must be signed, only if it is. */
  challenge?(request: InboundRequest, settings: VerificationSettings): ChallengeAnswer | null;
};
