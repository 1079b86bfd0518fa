import { hash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { AccountDirectory, InboundAccount, Lookup } from '../accounts/account-directory.ts';
import type { RejectionRecorder } from '../events/rejections.ts';
import type { EventReceiver, ReceivedEvent } from '../events/transitions/received.ts';
import { databaseUnavailable, Problem } from '../http/problem.ts';
import type { InboundRequest } from '../providers/inbound-request.ts';
import type { Acknowledgement, ExternalId, Provider, VerificationSettings } from '../providers/provider.ts';
import { storedHeaders } from '../providers/stored-headers.ts';
import { verifyInbound } from '../providers/verification.ts';
import type { Log } from '../shared/log.ts';
import { rejectedWebhook } from './rejected-webhook.ts';

export interface IngestDeps {
  directory: AccountDirectory;
  receiver: EventReceiver;
  rejections: RejectionRecorder;
  /** Bytes of a rejected webhook's body that are stored. */
  rejectedBodyBytes: number;
  /** Finds the first event of a duplicate webhook, and replays it if it has failed. */
  duplicates: Duplicates;
  providers: ReadonlyMap<string, Provider>;
  log: Log;
}

interface Duplicates {
  resolve(dedupKey: string): Promise<{ id: string; status: string } | null>;
}

/** The body of the response to an accepted webhook. */
interface Accepted {
  id: string;
  status: string;
  external_id: string;
  event_type: string | null;
  duplicate: boolean;
}

/** Returns the client's key for the limit on lookups of unknown addresses. Called only for those addresses. */
export type Client = () => string;

export type IngestAnswer =
  | { kind: 'accepted'; body: Accepted; acknowledgement: Acknowledgement | null }
  | { kind: 'challenge'; status: number; contentType: string; body: string };

/** The address that a webhook is sent to. */
export interface Address {
  provider: Provider;
  slug: string;
  /** The result of looking up its account, before the body was read. */
  found: Lookup;
}

/**
 * Finds the account of an address before the body is read, so that no body is read for an unknown address.
 *
 * @throws Problem `account_not_found`; never based on a cached result alone.
 */
export async function findAddress(
  deps: Pick<IngestDeps, 'directory' | 'providers'>,
  providerName: string,
  slug: string,
  client: Client,
): Promise<Address> {
  const provider = deps.providers.get(providerName);
  if (!provider) throw ingestionNotFound();
  const found = await deps.directory.lookup(providerName, slug, client);
  if (!found.account) throw ingestionNotFound();
  return { provider, slug, found };
}

/**
 * Receives one webhook: verifies it, stores it, and resolves after the commit.
 *
 * @throws Problem for a webhook that is not accepted (docs/admin-api.md).
 */
export async function ingest(
  deps: IngestDeps,
  { provider, slug, found }: Address,
  request: InboundRequest,
  client: Client,
): Promise<IngestAnswer> {
  // A body may take a minute to arrive, and the account may have changed since it began.
  const isCurrent = performance.now() < found.untilMs;
  const { account, fresh } = isCurrent ? found : await deps.directory.lookup(provider.name, slug, client);
  if (fresh) return decide(deps, provider, account, request, client);
  if (account && judge(provider, account, request) === 'accept')
    return accept(deps, provider, account, request, client);
  return decideWithoutCache(deps, provider, slug, request, client);
}

/**
 * Decides by the account as the database has it now. A cached account is never a reason to refuse a webhook: the
 * account may have been created, enabled, changed or replaced a moment ago.
 */
async function decideWithoutCache(
  deps: IngestDeps,
  provider: Provider,
  slug: string,
  request: InboundRequest,
  client: Client,
): Promise<IngestAnswer> {
  return decide(deps, provider, await deps.directory.fresh(provider.name, slug, client), request, client);
}

/** @param account read from the database after the request arrived. */
async function decide(
  deps: IngestDeps,
  provider: Provider,
  account: InboundAccount | null,
  request: InboundRequest,
  client: Client,
): Promise<IngestAnswer> {
  if (!account) throw ingestionNotFound();
  const verdict = judge(provider, account, request);
  if (verdict === 'accept') return accept(deps, provider, account, request, client);
  if (verdict === 'disabled') throw new Problem('account_disabled', 'the account of this address is disabled');
  const check = provider.unsignedCheck?.(request);
  if (check) return { kind: 'challenge', ...check };
  const kept = { reason: verdict.reason, bodyBytes: deps.rejectedBodyBytes };
  await deps.rejections.record(account.id, () => rejectedWebhook(provider, account, request, kept));
  throw new Problem('verification_failed', 'the webhook could not be verified');
}

export function ingestionNotFound(): Problem {
  return new Problem('account_not_found', 'there is no account at this address');
}

const settingsOf = (account: InboundAccount): VerificationSettings => ({
  skip: account.skipSignatureVerification,
  ...account.secrets,
  config: account.config,
});

/** The account's config; empty if it cannot be read, which happens only when verification is skipped. */
const configOf = (account: InboundAccount): object => account.config ?? {};

function judge(
  provider: Provider,
  account: InboundAccount,
  request: InboundRequest,
): 'accept' | 'disabled' | { reason: string } {
  if (!account.enabled) return 'disabled';
  const verdict = verifyInbound(provider, settingsOf(account), request);
  return verdict.ok ? 'accept' : { reason: verdict.reason };
}

async function accept(
  deps: IngestDeps,
  provider: Provider,
  account: InboundAccount,
  request: InboundRequest,
  client: Client,
): Promise<IngestAnswer> {
  const challenge = provider.challenge?.(request);
  if (challenge) return { kind: 'challenge', ...challenge };
  const { event, externalId } = toEvent(provider, account, request);
  const key = provider.dedupKey(request, externalId, configOf(account));
  const received: ReceivedEvent = { ...event, dedupKey: key && dedupKeyOf(account.id, key) };
  const accepted = (id: string, status: string, duplicate: boolean): IngestAnswer => ({
    kind: 'accepted',
    body: { id, status, external_id: event.externalId, event_type: event.eventType, duplicate },
    acknowledgement: provider.acknowledge?.(request) ?? null,
  });
  const receipt = await deps.receiver.receive(received);
  switch (receipt.kind) {
    case 'stored':
      logEvent(deps.log, event, false);
      return accepted(event.id, 'received', false);
    case 'duplicate': {
      const first = received.dedupKey === null ? null : await deps.duplicates.resolve(received.dedupKey);
      // The first event's key has just expired, or its partition was dropped, so this webhook is a new event.
      if (!first) return accept(deps, provider, account, request, client);
      logEvent(deps.log, event, true);
      return accepted(first.id, first.status, true);
    }
    case 'refused':
      return decideWithoutCache(deps, provider, account.accountSlug, request, client);
    case 'failed':
      if (receipt.failure === 'bad_data') throw new Problem('invalid', 'the webhook holds data that cannot be stored');
      throw databaseUnavailable();
    default:
      return receipt satisfies never;
  }
}

function toEvent(
  provider: Provider,
  account: InboundAccount,
  request: InboundRequest,
): { event: Omit<ReceivedEvent, 'dedupKey'>; externalId: ExternalId } {
  const config = configOf(account);
  const externalId = provider.externalId(request, config);
  const event = {
    id: uuidv7({ msecs: request.receivedAt.getTime() }),
    accountId: account.id,
    provider: provider.name,
    accountSlug: account.accountSlug,
    appKey: account.appKey,
    eventType: provider.eventType(request, config),
    externalId: externalId.id,
    receivedAt: request.receivedAt,
    headers: JSON.stringify(storedHeaders(provider, request, account.secrets)),
    contentType: request.header('content-type'),
    body: request.body,
  };
  return { event, externalId };
}

/** The stored key for an account and the provider's key: 128 bits of a SHA-256 hash, written as a UUID. */
function dedupKeyOf(accountId: string, key: Uint8Array): string {
  const hex = hash('sha256', Buffer.concat([Buffer.from(accountId), key]), 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

function logEvent(log: Log, event: Omit<ReceivedEvent, 'dedupKey'>, duplicate: boolean): void {
  const { id, provider, accountSlug, eventType, externalId } = event;
  log.info({ eventId: id, provider, accountSlug, eventType, externalId, bytes: event.body.length, duplicate }, 'event');
}
