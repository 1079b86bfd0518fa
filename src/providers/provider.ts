import type { z } from 'zod';
import type { InboundRequest } from './inbound-request.ts';

/**
 * Why a webhook is refused, in words for operators: kept as the event's `rejection_reason`, never told to the sender.
 */
export const rejectionReasons = {
  unknown_provider: 'There is no such provider.',
  no_secret_configured: 'The account has no signing secret.',
  unusable_secret: 'The signing secret of the account is no key for this provider.',
  invalid_provider_config:
    "The account's provider_config does not fit its provider, or lacks something that this needs.",
  missing_original_url: 'The header X-Original-Url is missing.',
  missing_signature: 'It carries no signature.',
  malformed_signature: "Its signature is not of the provider's form or length.",
  bad_signature: 'Its signature was made with another secret, or over other bytes.',
  missing_timestamp: 'It does not say when it was signed.',
  malformed_timestamp: 'The time of its signature cannot be read.',
  stale_timestamp: 'It is signed rightly, but too long ago or too far ahead: it may be a replay.',
} as const;

export type RejectionReason = keyof typeof rejectionReasons;

export type Verification = { ok: true } | { ok: false; reason: RejectionReason };

/** What one try at verifying goes by. `secret` is never empty, `config` is as the provider's schema made it. */
type VerificationKey<Config> = { secret: string; config: Config };

/** What an account says about verification (R34); null and empty secrets verify nothing. */
export type VerificationSettings = {
  /** `skip_signature_verification` */
  skip: boolean;
  /** `signing_secret_current` */
  current: string | null;
  /** `signing_secret_previous` */
  previous: string | null;
  /** `provider_config`, made by the schema of this very provider; null when the stored one does not fit it. */
  config: object | null;
};

/** `own`: the provider named the event itself. Otherwise the id was made here and says nothing about duplicates. */
export type ExternalId = { id: string; own: boolean };

/** An answer in a provider's own words: to its challenge, or to an event of its. */
export type ChallengeAnswer = { status: number; contentType: string; body: string };

/** The status of the answer to a stored webhook, and what takes the place of the usual body. */
export type Acknowledgement = { status: number; reply?: Omit<ChallengeAnswer, 'status'> };

/** What operators are told about the secret that they paste. */
type SecretDescription<Config extends object = object> = {
  /** What the provider calls it, as in "Signing secret". */
  label: string;
  /** Where it is found and what it looks like, in one sentence. */
  hint: string;
  /**
   * Why `secret` cannot be one, as in "must be …", or null. Without this, any text is one. `config` is as the provider's
   * schema made it, and absent where none fits.
   */
  problem?(secret: string, config?: Config): string | null;
};

/**
 * All that differs between providers. Adding one is one file with such an object and one line in `registry.ts`.
 *
 * Every function is pure, takes any bytes whatever and never throws. Callers verify with `verifyInbound`, which knows
 * about rotation and skipped verification, and store what `storedHeaders` returns.
 */
export type Provider<Config extends object = object> = {
  /** The first segment of the ingestion path and the account's `provider`. */
  readonly name: string;
  /** Its name for people. */
  readonly title: string;
  readonly secret: SecretDescription<Config>;
  /**
   * `provider_config`: a strict object that also takes `{}`, unless something is needed. Fields with the meta
   * `writeOnly: true` are never shown. `provider-config.ts` has the usual ones.
   */
  readonly config: z.ZodType<Config>;
  /** Headers, in lower case, whose whole value is or may be the secret: never stored or forwarded. */
  readonly secretHeaders: readonly string[];
  /** Whether the request was made by someone who knows `key.secret`. */
  verify(request: InboundRequest, key: VerificationKey<Config>): Verification;
  /** The event's type in the words of the service (R42, R43), at most 255 characters, or null. */
  eventType(request: InboundRequest, config: Config): string | null;
  /** The event's id (R44): 1 to 255 characters that PostgreSQL can store. */
  externalId(request: InboundRequest, config: Config): ExternalId;
  /** Two webhooks of one account with the same key are duplicates; null: never one. */
  dedupKey(request: InboundRequest, externalId: ExternalId, config: Config): Uint8Array | null;
  /** How a stored webhook is answered, where the provider takes our 202 for a failure or its body for a reply; null: as usual. */
  acknowledge?(request: InboundRequest): Acknowledgement | null;
  /** The answer, if this request, which has been verified, is a challenge and no event. */
  challenge?(request: InboundRequest): ChallengeAnswer | null;
  /**
   * The answer to a POST that the provider itself sends unsigned, only to see whether somebody answers; else null. Asked
   * when verification has failed, so anyone can have it: it must hold nothing of the request.
   */
  unsignedCheck?(request: InboundRequest): ChallengeAnswer | null;
  /** The answer to a GET or HEAD by which the provider looks at the address before it sends anything. */
  handshake?(request: InboundRequest, config: Config): { ok: true; answer: ChallengeAnswer } | { ok: false };
};
