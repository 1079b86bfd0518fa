import type { z } from 'zod';
import type { FieldError } from '../shared/plain-words.ts';
import type { InboundRequest } from './inbound-request.ts';

/** The reasons to reject a webhook. Operators see them as the event's `rejection_reason`; the sender never does. */
export const rejectionReasons = {
  unknown_provider: 'No provider has this name.',
  no_secret_configured: 'The account has no signing secret.',
  secret_unreadable:
    'A secret or the provider_config of the account does not decrypt with SECRETS_KEY, and the webhook could not be verified without it.',
  unusable_secret: 'The signing secret of the account does not have the format that the provider uses.',
  invalid_provider_config: "The account's provider_config is invalid for its provider, or lacks a required field.",
  missing_original_url: 'The header X-Original-Url is missing.',
  missing_signature: 'The webhook has no signature.',
  malformed_signature: "The signature does not have the provider's format or length.",
  bad_signature: 'The signature was made with a different secret or over different bytes.',
  missing_timestamp: 'The webhook has no signing time.',
  malformed_timestamp: 'The signing time is not in a valid format.',
  stale_timestamp:
    'The signature is valid, but its time is too far in the past or in the future. The webhook may be a replay.',
} as const;

export type RejectionReason = keyof typeof rejectionReasons;

/** `detail`: the reason as a sentence with the numbers of this webhook. Absent: the reason says everything. */
export type Verification = { ok: true } | { ok: false; reason: RejectionReason; detail?: string };

/** Why webhooks of a provider cannot be verified again from what is stored of them. */
type NotKept = 'secret_not_stored' | 'signature_not_stored';

/** The input of one verification. `secret` is never empty; `config` is parsed by the provider's schema. */
type VerificationKey<Config> = { secret: string; config: Config };

/** An account's settings for verification (R34). A null or empty secret verifies no webhook. */
export type VerificationSettings = {
  /** `skip_signature_verification` */
  skip: boolean;
  /** `signing_secret_current` */
  current: string | null;
  /** `signing_secret_previous` */
  previous: string | null;
  /** `provider_config`, parsed by the provider's schema; null when the stored one does not match the schema. */
  config: object | null;
  /** Whether a stored secret or `provider_config` could not be decrypted; it is null here. False if absent. */
  unreadable?: boolean;
};

/** `own`: the provider gave this id. Otherwise it was generated and cannot identify duplicates. */
export type ExternalId = { id: string; own: boolean };

/** A response in the form that a provider requires, to its challenge or to a webhook. */
export type ChallengeAnswer = { status: number; contentType: string; body: string };

/** The status of the response to a stored webhook, and a body in place of the usual one. */
export type Acknowledgement = { status: number; reply?: Omit<ChallengeAnswer, 'status'> };

/** The description of a provider's secret, for operators who enter it. */
type SecretDescription<Config extends object = object> = {
  /** The provider's own name for it, such as "Signing secret". */
  label: string;
  /** Where to find it and what it looks like, in one sentence. */
  hint: string;
  /**
   * Returns why `secret` is invalid, in the form "must be …", or null. Without this function, any text is valid.
   * `config` is parsed by the provider's schema, and undefined when it does not match.
   */
  problem?(secret: string, config?: Config): string | null;
};

/**
 * Everything that differs between providers. To add a provider, add a file with such an object and a line in
 * `registry.ts`.
 *
 * Every function is pure, accepts any bytes and never throws. Callers verify with `verifyInbound`, which handles secret
 * rotation and skipped verification, and store the headers that `storedHeaders` returns.
 */
export type Provider<Config extends object = object> = {
  /** The first segment of the ingestion path and the account's `provider`. */
  readonly name: string;
  /** The display name. */
  readonly title: string;
  /** How its webhooks are verified, in a few words, as in the table of docs/providers.md. */
  readonly verification: string;
  readonly secret: SecretDescription<Config>;
  /**
   * The schema of `provider_config`: a strict object that accepts `{}`, unless a field is required. Values of fields
   * with the meta `writeOnly: true` are never shown. `provider-config.ts` has common schemas.
   */
  readonly config: z.ZodType<Config>;
  /**
   * Returns why a config that matches the schema is unsafe, with the path of its field, or null. A new config with such
   * a problem is refused. A stored one stays in force, is logged at each start, and shown with its account.
   */
  configProblem?(config: Config): FieldError | null;
  /** Headers, in lower case, whose value may be the secret. Their values are never stored or forwarded. */
  readonly secretHeaders: readonly string[];
  /** Why its rejected webhooks cannot be checked again; absent: the body and headers that are stored suffice. */
  readonly notKept?: NotKept;
  /** What `verify` compares besides the body and headers with a fixed name; absent: nothing. */
  compares?(config: Config): { header?: string; address?: boolean };
  /** The path and query that a stored webhook was sent to, of which only the path is known; absent: the path. */
  targetOf?(path: string, request: InboundRequest): string;
  /** Whether the request was sent by a sender that knows `key.secret`. */
  verify(request: InboundRequest, key: VerificationKey<Config>): Verification;
  /** The event type (R42, R43), at most 255 characters, or null. */
  eventType(request: InboundRequest, config: Config): string | null;
  /** The event's id (R44): 1 to 255 characters that PostgreSQL can store. */
  externalId(request: InboundRequest, config: Config): ExternalId;
  /** The deduplication key: webhooks of one account with the same key are duplicates. Null: never a duplicate. */
  dedupKey(request: InboundRequest, externalId: ExternalId, config: Config): Uint8Array | null;
  /**
   * The response to a stored webhook, for providers that treat 202 as a failure or use the body as a reply. Null: the
   * usual response.
   */
  acknowledge?(request: InboundRequest): Acknowledgement | null;
  /** The response to a verified request that is a challenge, not an event; else null. */
  challenge?(request: InboundRequest): ChallengeAnswer | null;
  /**
   * The response to an unsigned POST with which the provider checks the address; else null. Called after a failed
   * verification, so anyone can get this response: it must not contain any part of the request.
   */
  unsignedCheck?(request: InboundRequest): ChallengeAnswer | null;
  /** The response to a GET or HEAD with which the provider checks the address before it sends webhooks. */
  handshake?(request: InboundRequest, config: Config): { ok: true; answer: ChallengeAnswer } | { ok: false };
};
