import type { InboundAccount } from '../accounts/account-directory.ts';
import { storedContent } from '../conditions/content.ts';
import { evaluate } from '../conditions/evaluate.ts';
import { parsedCondition } from '../conditions/parsed.ts';
import type { Variables } from '../conditions/tree.ts';
import { Work } from '../conditions/work.ts';
import { consumerVariables } from '../consumers/condition-variables.ts';

/** A verified webhook, as conditions of consumers read it. */
export interface JudgedWebhook {
  provider: string;
  accountSlug: string;
  appKey: string;
  eventType: string | null;
  externalId: string;
  /** As they are stored, with secrets masked, so that a backfill agrees and no condition can probe a secret. */
  headers: readonly (readonly [name: string, value: string])[];
  body: Uint8Array;
}

/** The consumers that a webhook becomes an event of. */
export interface Wanted {
  /** The ids of the consumers, in the order of the events; null: `default`. Empty: no consumer wants the webhook. */
  consumerIds: readonly (string | null)[];
  /** The names of enabled consumers whose condition does not hold; null: there are none. */
  unmatched: readonly string[] | null;
  /** Names of consumers whose condition took more work than one webhook may take. Each gets an event. */
  exceeded: readonly string[];
}

const nobody: Wanted = { consumerIds: [], unmatched: null, exceeded: [] };
const onlyDefault: Wanted = { consumerIds: [null], unmatched: null, exceeded: [] };

/** Which enabled consumers of the account want a webhook. It is parsed at most once, and only if a condition reads it. */
export function wantedEvents(account: Pick<InboundAccount, 'consumers'>, webhook: () => JudgedWebhook): Wanted {
  const enabled = account.consumers.filter((consumer) => consumer.enabled);
  if (enabled.length === 0) return nobody;
  if (enabled.every(({ condition }) => condition === null))
    return enabled.length === 1 && enabled[0]?.id === null
      ? onlyDefault
      : { ...onlyDefault, consumerIds: enabled.map(({ id }) => id) };
  const judged = webhook();
  const variables: Variables = consumerVariables(judged);
  const content = storedContent(judged);
  const work = new Work();
  const exceeded: string[] = [];
  const holds = ({ name, condition }: { name: string; condition: string | null }) => {
    const parsed = condition === null ? null : parsedCondition(condition);
    // One that does not parse was stored by another version of the gateway. It counts as met, so that no event is lost.
    if (parsed === null || !parsed.ok) return true;
    const before = work.exceeded;
    const met = evaluate(parsed.condition, variables, content, work);
    if (work.exceeded > before) exceeded.push(name);
    return met;
  };
  const wanting = new Set(enabled.filter(holds));
  const unmatched = enabled.filter((consumer) => !wanting.has(consumer)).map(({ name }) => name);
  return {
    consumerIds: [...wanting].map(({ id }) => id),
    unmatched: unmatched.length === 0 ? null : unmatched,
    exceeded,
  };
}
