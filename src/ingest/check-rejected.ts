import type { AccountDirectory, InboundAccount } from '../accounts/account-directory.ts';
import type { Database } from '../database/database.ts';
import { databaseFailure } from '../database/errors.ts';
import { ensurePartitions } from '../database/partitions.ts';
import type { Sql } from '../database/sql.ts';
import { eventNotFound } from '../events/operate-on-event.ts';
import { receiveAlone } from '../events/receive-alone.ts';
import type { CheckAnswer } from '../events/rejected-schemas.ts';
import {
  checkedAs,
  type KeptWebhook,
  notCheckable,
  noteAccepted,
  noteDuplicate,
  noteMade,
  readAcceptedWith,
  readKeptWebhook,
  type StoredWebhook,
  whyNotCheckable,
} from '../events/rejection-checks.ts';
import { rejectionSentence } from '../events/rejection-sentence.ts';
import type { ReceivedWebhook } from '../events/transitions/received.ts';
import { Problem } from '../http/problem.ts';
import { longestDedupWindowS } from '../providers/dedup-window.ts';
import { inboundRequest } from '../providers/inbound-request.ts';
import type { Provider } from '../providers/provider.ts';
import { MASKED } from '../secrets/masked.ts';
import { InboundWebhook } from './inbound-webhook.ts';

export interface CheckDeps {
  database: Database;
  directory: AccountDirectory;
  providers: ReadonlyMap<string, Provider>;
  publicUrl: string | null;
  conditionExceeded: (account: InboundAccount, consumers: readonly string[]) => void;
}

/** Tries while the account changes, or the database asks for another one. */
const mostTries = 5;

const accountChanges = () => new Problem('conflict', 'the account of this event changes; try again');

const refused = (why: string) => new Problem('not_checkable', why);

/**
 * Verifies a rejected webhook with the secrets that its account has now, at the time when it came. If it is valid, an
 * event is made of it, as of one that arrives now; if the same webhook was accepted since, the answer is that event.
 * Signatures are verified even if the account skips that for webhooks that arrive.
 *
 * @param record writes the audit entry of an answer with an event, in the transaction that makes the event.
 * @throws Problem `not_checkable` where what is kept does not suffice.
 */
export async function checkRejected(
  deps: CheckDeps,
  rejectedId: string,
  record: (sql: Sql, answer: CheckAnswer) => Promise<void>,
): Promise<CheckAnswer> {
  const kept = await readKeptWebhook(deps.database, rejectedId);
  if (!kept) throw eventNotFound();
  if (kept.reason === null) throw refused('The webhook was not rejected.');
  const known = await checkedAs(deps.database, rejectedId);
  if (known !== null) return alreadyAccepted(known);
  const why = whyNotCheckable(kept);
  if (why !== null) throw refused(notCheckable[why]);
  for (let tries = 1; ; tries++) {
    const account = await accountOf(deps, kept);
    const checked = verified(deps, kept, account);
    if ('result' in checked) return checked;
    try {
      const answer = await store(deps, { rejectedId, kept, account, webhook: checked, record });
      if (answer) return answer;
    } catch (error) {
      const failure = databaseFailure(error);
      if (failure === 'no_partition') await ensurePartitions(deps.database, new Date(), 1);
      else if (failure !== 'retry') throw error;
      if (tries === mostTries) throw error;
    }
    if (tries === mostTries) throw accountChanges();
  }
}

const alreadyAccepted = (eventId: string): CheckAnswer => ({
  ...{ result: 'already_accepted', event_id: eventId, reason: null },
  explanation: 'The webhook was accepted before, as this event.',
});

const accepted = ({ id, skippedReason }: ReceivedWebhook): CheckAnswer => ({
  ...{ result: 'accepted', event_id: id, reason: null },
  explanation:
    skippedReason === null
      ? 'The signature is valid. The webhook is an event now, and is delivered.'
      : 'The signature is valid. The webhook is an event now, which no consumer wants.',
});

/** The account as it is now. */
async function accountOf({ directory }: CheckDeps, kept: KeptWebhook): Promise<InboundAccount> {
  const { provider, accountId, accountSlug, accountProvider, isDeleted } = kept;
  if (accountSlug === null || isDeleted) throw new Problem('conflict', 'the account of this event was deleted');
  if (accountProvider !== provider)
    throw new Problem(
      'conflict',
      `the account of this event has the provider ${accountProvider} now, and the webhook was sent to ${provider}`,
    );
  const account = await directory.fresh(provider, accountSlug, () => 'checks');
  if (account?.id !== accountId) throw accountChanges();
  if (!account.enabled) throw new Problem('conflict', 'the account of this event is disabled; enable it first');
  return account;
}

/** The webhook if the account accepts it, or why it does not. */
function verified({ providers, publicUrl }: CheckDeps, kept: KeptWebhook, account: InboundAccount) {
  const provider = providers.get(kept.provider);
  if (!provider) throw refused('No provider of the gateway has this name.');
  const { header, address } = (account.config && provider.compares?.(account.config)) ?? {};
  const isCompared = (name: string) => name.toLowerCase() === header?.toLowerCase();
  if (kept.headers.some(([name, value]) => isCompared(name) && value === MASKED))
    throw refused(`The value of the header ${header} was not stored.`);
  const webhook = inboundOf(provider, kept, publicUrl);
  const verdict = webhook.judge({ ...account, skipSignatureVerification: false });
  // `accountOf` has refused a disabled account.
  if (verdict === 'disabled') throw new Error('a disabled account was judged');
  if ('reason' in verdict) {
    const sentence = rejectionSentence(verdict.reason, verdict.detail);
    const ofQuery = address && verdict.reason === 'bad_signature' ? ` ${queryNotStored}` : '';
    return { result: 'rejected', event_id: null, reason: verdict.reason, explanation: sentence + ofQuery } as const;
  }
  if (webhook.challenge()) throw refused("It is the provider's check of the address, of which no event is made.");
  return webhook;
}

/** A stored webhook as it arrived. */
function inboundOf(provider: Provider, stored: StoredWebhook, publicUrl: string | null): InboundWebhook {
  const path = `/${stored.provider}/${stored.sentTo}`;
  const { body, receivedAt } = stored;
  const sent = { rawHeaders: stored.headers.flat(), target: path, publicUrl, body, receivedAt };
  const target = provider.targetOf?.(path, inboundRequest(sent)) ?? path;
  return new InboundWebhook(provider, inboundRequest({ ...sent, target }));
}

const queryNotStored =
  'The address is signed, too, and its query is not stored: webhooks to an address with a query cannot be checked.';

/** Makes the event; null if the account has changed since it was read. */
function store(
  { database, publicUrl, conditionExceeded }: CheckDeps,
  check: {
    rejectedId: string;
    kept: KeptWebhook;
    account: InboundAccount;
    webhook: InboundWebhook;
    record: (sql: Sql, answer: CheckAnswer) => Promise<void>;
  },
): Promise<CheckAnswer | null> {
  const { rejectedId, kept, account, webhook, record } = check;
  const { received, exceeded } = webhook.toEvents(account, new Date());
  if (exceeded.length > 0) conditionExceeded(account, exceeded);
  const changed = Symbol('changed');
  const answered = async (sql: Sql, answer: CheckAnswer) => {
    await record(sql, answer);
    return answer;
  };
  return database
    .transaction(async (sql) => {
      if (!(await noteMade(sql, rejectedId, received.id))) {
        const known = await checkedAs(sql, rejectedId);
        if (known === null) throw changed;
        return answered(sql, alreadyAccepted(known));
      }
      const since = await acceptedSince(sql, { kept, account, webhook, received, publicUrl });
      if (since !== null) {
        await noteAccepted(sql, rejectedId, since);
        return answered(sql, alreadyAccepted(since));
      }
      for (;;) {
        const receipt = await receiveAlone(sql, received);
        if (receipt === 'refused') throw changed;
        if (receipt === 'stored') return answered(sql, accepted(received));
        const first = received.dedupKey && (await noteDuplicate(sql, rejectedId, received.dedupKey));
        if (first) return answered(sql, alreadyAccepted(first));
        // The event of the key is gone, and its key was deleted, so this webhook is a new event.
      }
    })
    .catch((error: unknown) => {
      if (error === changed) return null;
      throw error;
    });
}

/**
 * The event of the same webhook if it was accepted since. Compared with the events themselves: providers send again for longer
 * than a deduplication key is kept (`dedupWindowS`).
 */
async function acceptedSince(
  sql: Sql,
  check: {
    kept: KeptWebhook;
    account: InboundAccount;
    webhook: InboundWebhook;
    received: ReceivedWebhook;
    publicUrl: string | null;
  },
): Promise<string | null> {
  const { kept, account, webhook, received, publicUrl } = check;
  if (received.dedupKey === null) return null;
  // A captured webhook may have been accepted before it was sent again and rejected.
  const since = new Date(kept.receivedAt.getTime() - longestDedupWindowS * 1_000);
  const { externalId } = received;
  const candidates = await readAcceptedWith(sql, { accountId: account.id, externalId, since, webhook: kept });
  const same = candidates.find(
    (stored) => inboundOf(webhook.provider, stored, publicUrl).dedupKey(account) === received.dedupKey,
  );
  return same?.id ?? null;
}
