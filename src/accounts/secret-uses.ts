import { hash } from 'node:crypto';
import { FlushedCounts } from '../database/flushed-counts.ts';
import type { Sql } from '../database/sql.ts';
import type { SecretSlot } from '../providers/verification.ts';
import { columnsOf } from '../shared/columns-of.ts';
import type { Log } from '../shared/log.ts';
import type { AccountRow } from './account-entity.ts';
import { previousSecret } from './signing-rotation.ts';

/** How a webhook was accepted: by one of the two signing secrets, or without a check of its signature. */
export type AcceptedBy = SecretSlot | 'unsigned';

/** What is counted: accepted webhooks, and those that neither secret has verified. */
type Counted = AcceptedBy | 'rejected';

/** An operator who rotates a secret waits for the first webhook with the new one. */
const flushMs = 3_000;

/** What identifies the secrets of an account: see `secretTag`. */
export type SecretTags = Record<SecretSlot, string>;

/**
 * Identifies a stored secret without revealing it: the hash of its box, which has a random nonce. The same secret has
 * another tag in the other slot, after each change, and after a change of SECRETS_KEY; then its count begins again.
 */
export const secretTag = (box: Uint8Array | null): string =>
  box === null ? '' : hash('sha256', box, 'hex').slice(0, 16);

interface Uses {
  accountId: string;
  slot: Counted;
  tag: string;
  webhooks: number;
  lastMs: number;
}

// Ordered, so that processes that write the same rows lock them in the same order. The counts of secrets that are no
// longer in their slot are deleted a day after their last use.
const addUses = {
  name: 'add_secret_uses',
  text: `
    with given as (
      select * from unnest($1::uuid[], $2::text[], $3::text[], $4::integer[], $5::timestamptz[]) as g (account_id, slot, tag, webhooks, last_used_at)
    ), added as (
      insert into signing_secret_uses as u (account_id, slot, tag, webhooks, last_used_at)
      select account_id, slot, tag, webhooks, last_used_at from given order by account_id, slot, tag
      on conflict (account_id, slot, tag) do update set webhooks = u.webhooks + excluded.webhooks,
        last_used_at = greatest(u.last_used_at, excluded.last_used_at)
    )
    delete from signing_secret_uses u using given g
    where u.account_id = g.account_id and u.slot = g.slot and u.tag <> g.tag and u.last_used_at < now() - interval '1 day'`,
};

/** Counts which secret the webhooks of each account used and how many were rejected, and writes the counts every few seconds. */
export class SecretUses {
  readonly #counts: FlushedCounts<Uses>;

  constructor({ sql, log }: { sql: Sql; log: Log }) {
    this.#counts = new FlushedCounts({
      ...{ name: 'uses of signing secrets', flushMs, log },
      add(to, more) {
        to.webhooks += more.webhooks;
        to.lastMs = Math.max(to.lastMs, more.lastMs);
      },
      async write(uses) {
        await sql.query(addUses, [
          ...columnsOf(uses, 'accountId', 'slot', 'tag', 'webhooks'),
          uses.map(({ lastMs }) => new Date(lastMs)),
        ]);
      },
    });
  }

  /** Counts an accepted webhook. */
  accepted({ id, secretTags }: { id: string; secretTags: SecretTags }, by: AcceptedBy): void {
    this.#count(id, by, by === 'unsigned' ? '' : secretTags[by]);
  }

  /** Counts a rejected webhook: the count begins again when the current secret is changed. */
  rejected({ id, secretTags }: { id: string; secretTags: SecretTags }): void {
    this.#count(id, 'rejected', secretTags.current);
  }

  #count(id: string, slot: Counted, tag: string): void {
    this.#counts.count(`${id}/${slot}/${tag}`, { accountId: id, slot, tag, webhooks: 1, lastMs: Date.now() });
  }

  start(): void {
    this.#counts.start();
  }

  /** Stops writing, after the counts that are left. */
  stop(): Promise<void> {
    return this.#counts.stop();
  }
}

/** How often a secret was used since it is in its slot. */
export interface SecretUse {
  webhooks: number;
  last_used_at: Date | null;
}

const readUses = {
  name: '',
  text: `select slot, tag, webhooks::double precision as webhooks, last_used_at from signing_secret_uses where account_id = $1`,
};

/** Reads how the webhooks of an account were accepted or rejected, as far as it was written. */
export async function secretUses(sql: Sql, account: AccountRow): Promise<Record<Counted, SecretUse>> {
  const rows = await sql.query<{ slot: string; tag: string; webhooks: number; last_used_at: Date }>(readUses, [
    account.id,
  ]);
  const useOf = (slot: Counted, tag: string): SecretUse => {
    const row = rows.find((one) => one.slot === slot && one.tag === tag);
    return { webhooks: row?.webhooks ?? 0, last_used_at: row?.last_used_at ?? null };
  };
  const current = secretTag(account.signing_secret_current ?? null);
  return {
    current: useOf('current', current),
    previous: useOf('previous', secretTag(previousSecret(account))),
    unsigned: useOf('unsigned', ''),
    rejected: useOf('rejected', current),
  };
}
