import { randomBytes } from 'node:crypto';
import type { Sql, Transactions } from '../database/sql.ts';

const insertAccount = {
  name: '',
  text: `insert into accounts (id, provider, account_slug, app_key, skip_signature_verification, created_at, updated_at)
         values ($1, 'generic', $2, 'warm-up', true, now(), now())`,
};

/** Ends a transaction whose changes are not wanted. */
class Undo extends Error {}

/** Runs `work` in a transaction that is rolled back, for a warm-up. */
export async function undone(database: Transactions, work: (sql: Sql) => Promise<void>): Promise<void> {
  try {
    await database.transaction(async (sql) => {
      await work(sql);
      throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
}

/** Adds an account of the provider `generic` that takes webhooks without a secret. */
export async function addAccount(sql: Sql, id: string, slug: string): Promise<void> {
  await sql.query(insertAccount, [id, slug]);
}

/** A slug that no account has and no sender can guess. */
export const unusedSlug = () => `warm-up-${randomBytes(12).toString('hex')}`;
