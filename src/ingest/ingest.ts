import type { AccountDirectory, InboundAccount, Lookup } from '../accounts/account-directory.ts';
import type { AcceptedBy } from '../accounts/secret-uses.ts';
import type { EventReceiver } from '../events/event-receiver.ts';
import type { RejectionRecorder } from '../events/rejections.ts';
import type { ReceivedWebhook } from '../events/transitions/received.ts';
import { databaseUnavailable, Problem } from '../http/problem.ts';
import type { InboundRequest } from '../providers/inbound-request.ts';
import type { Acknowledgement, Provider } from '../providers/provider.ts';
import type { Log } from '../shared/log.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import { InboundWebhook } from './inbound-webhook.ts';

export interface IngestDeps {
  directory: AccountDirectory;
  receiver: EventReceiver;
  rejections: RejectionRecorder;
  /** Bytes of a rejected webhook's body that are stored. */
  rejectedBodyBytes: number;
  /** Finds the first event of a duplicate webhook, and replays it if it has failed. */
  duplicates: Duplicates;
  providers: ReadonlyMap<string, Provider>;
  /** Counts which secret webhooks use, and those that are rejected. */
  secretUses: { accepted(account: InboundAccount, by: AcceptedBy): void; rejected(account: InboundAccount): void };
  /** Counts rejected webhooks for incidents. */
  rejectionCounts: { rejected(accountId: string, reason: string): void };
  /** Called for each webhook that is rejected because of a secret that cannot be decrypted. */
  unreadableSecret: (account: InboundAccount) => void;
  /** Called for each webhook for which conditions of these consumers need more work than one webhook may take. */
  conditionExceeded: (account: InboundAccount, consumers: readonly string[]) => void;
  metrics: Pick<Metrics, 'webhookAnswered' | 'webhookRejected'>;
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
  const webhook = new InboundWebhook(provider, request);
  // A body may take a minute to arrive, and the account may have changed since it began.
  const isCurrent = performance.now() < found.untilMs;
  const { account, fresh } = isCurrent ? found : await deps.directory.lookup(provider.name, slug, client);
  if (fresh) return decide(deps, webhook, account, client);
  if (account) {
    const verdict = webhook.judge(account);
    if (verdict !== 'disabled' && 'acceptedBy' in verdict)
      return accept(deps, webhook, { account, ...verdict }, client);
  }
  return decideWithoutCache(deps, webhook, slug, client);
}

/**
 * Decides by the account as the database has it now. A cached account is never a reason to refuse a webhook: the
 * account may have been created, enabled, changed or replaced a moment ago.
 */
async function decideWithoutCache(
  deps: IngestDeps,
  webhook: InboundWebhook,
  slug: string,
  client: Client,
): Promise<IngestAnswer> {
  return decide(deps, webhook, await deps.directory.fresh(webhook.provider.name, slug, client), client);
}

/** @param account read from the database after the request arrived. */
async function decide(
  deps: IngestDeps,
  webhook: InboundWebhook,
  account: InboundAccount | null,
  client: Client,
): Promise<IngestAnswer> {
  if (!account) throw ingestionNotFound();
  const verdict = webhook.judge(account);
  if (verdict === 'disabled') throw new Problem('account_disabled', 'the account of this address is disabled');
  if ('acceptedBy' in verdict) return accept(deps, webhook, { account, ...verdict }, client);
  const check = webhook.unsignedCheck();
  if (check) return { kind: 'challenge', ...check };
  const { reason, detail } = verdict;
  if (reason === 'secret_unreadable') deps.unreadableSecret(account);
  const kept = { reason, detail, bodyBytes: deps.rejectedBodyBytes };
  await deps.rejections.record(account.id, () => webhook.toRejectedEvent(account, kept));
  deps.secretUses.rejected(account);
  deps.rejectionCounts.rejected(account.id, reason);
  deps.metrics.webhookRejected(reason);
  throw new Problem('verification_failed', 'the webhook could not be verified');
}

export function ingestionNotFound(): Problem {
  return new Problem('account_not_found', 'there is no account at this address');
}

async function accept(
  deps: IngestDeps,
  webhook: InboundWebhook,
  verified: { account: InboundAccount; acceptedBy: AcceptedBy },
  client: Client,
): Promise<IngestAnswer> {
  const { account, acceptedBy } = verified;
  const challenge = webhook.challenge();
  if (challenge) {
    deps.secretUses.accepted(account, acceptedBy);
    return { kind: 'challenge', ...challenge };
  }
  const { received: event, exceeded } = webhook.toEvents(account);
  if (exceeded.length > 0) deps.conditionExceeded(account, exceeded);
  const accepted = (id: string, status: string, duplicate: boolean): IngestAnswer => ({
    kind: 'accepted',
    body: { id, status, external_id: event.externalId, event_type: event.eventType, duplicate },
    acknowledgement: webhook.acknowledgement(),
  });
  const receipt = await deps.receiver.receive(event);
  switch (receipt.kind) {
    case 'stored':
      deps.secretUses.accepted(account, acceptedBy);
      logEvent(deps.log, event, false);
      return accepted(event.id, event.skippedReason === null ? 'received' : 'enqueued', false);
    case 'duplicate': {
      const first = event.dedupKey === null ? null : await deps.duplicates.resolve(event.dedupKey);
      // The first event's key has just expired, or its partition was dropped, so this webhook is a new event.
      if (!first) return accept(deps, webhook, verified, client);
      deps.secretUses.accepted(account, acceptedBy);
      logEvent(deps.log, event, true);
      return accepted(first.id, first.status, true);
    }
    case 'refused':
      return decideWithoutCache(deps, webhook, account.accountSlug, client);
    case 'failed':
      if (receipt.failure === 'bad_data') throw new Problem('invalid', 'the webhook holds data that cannot be stored');
      throw databaseUnavailable();
    default:
      return receipt satisfies never;
  }
}

function logEvent(log: Log, event: ReceivedWebhook, duplicate: boolean): void {
  const { id, provider, accountSlug, eventType, externalId } = event;
  log.info({ eventId: id, provider, accountSlug, eventType, externalId, bytes: event.body.length, duplicate }, 'event');
}
