import type { Sql } from '../../../src/database/sql.ts';

const insertAccounts = {
  name: 'bench_accounts',
  text: `
    insert into accounts (id, provider, account_slug, app_key, created_at, updated_at)
    select gen_random_uuid(), 'generic', 'slug-' || n, 'bench', now(), now() from generate_series(1, $1::integer) n returning id`,
};

// As src/events/transitions/received.ts inserts them, without payloads, which no claim reads.
const insertEvents = {
  name: 'bench_enqueue',
  text: `
    with numbered as (
      select id as account_id, row_number() over (order by id) - 1 as place, count(*) over () as accounts from accounts
    ), input as (
      select uuidv7() as id, a.account_id from generate_series(1, $1::integer) n join numbered a on a.place = n % a.accounts
    ), stored as (
      insert into events (id, account_id, provider, account_slug, app_key, external_id, status, delivery_status, generation_at, received_at)
      select id, account_id, 'generic', 'slug', 'bench', id::text, 'received', 'pending', now(), now() from input
    )
    insert into event_queue (event_id, account_id, generation, lane) select id, account_id, 0, 0 from input`,
};

/** Creates accounts and returns their ids. */
export async function createAccounts(sql: Sql, count: number): Promise<string[]> {
  return (await sql.query<{ id: string }>(insertAccounts, [count])).map(({ id }) => id);
}

/** Inserts new events and their rows of the queue, spread evenly over the accounts. */
export async function enqueue(sql: Sql, count: number): Promise<void> {
  await sql.query(insertEvents, [count]);
}
