import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Sql } from '../../src/database/sql.ts';
import { claimSettledForStart } from '../../src/engine/claim-starts.ts';
import { lanes } from '../../src/events/lanes.ts';
import { lowestId } from '../../src/events/queue.ts';
import { useDatabase } from '../support/use-database.ts';

// A burst leaves more events to start than a second of Temporal takes. Each claim then takes a few of a hundred thousand.

const database = useDatabase();
const waiting = 100_000;
const limit = 12;

/** The most rows that a step of the plans has read. */
async function mostRead(call: (sql: Sql) => Promise<unknown>): Promise<number> {
  const client = await database.pool.connect();
  onTestFinished(() => client.release());
  let most = 0;
  await call({
    async query({ name, text }, values) {
      // With the plan of a prepared statement, which is made without the values.
      await client.query(`prepare explained_${name} as ${text}`);
      const given = values.map((value) => client.escapeLiteral(String(value))).join(', ');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (analyze, costs off, timing off, summary off) execute explained_${name} (${given})`,
      );
      for (const { 'QUERY PLAN': line } of rows) {
        const [, read, loops] = /rows=([\d.]+) loops=(\d+)/.exec(line) ?? [];
        most = Math.max(most, Number(read ?? 0) * Number(loops ?? 0));
      }
      return [];
    },
  });
  return most;
}

test('a claim of settled events reads only what it takes, however many wait', async () => {
  await database.query(
    {
      name: '',
      // In the order of their ids, as events arrive.
      text: `insert into event_queue (event_id, account_id, generation, lane)
        select lpad(to_hex(n), 32, '0')::uuid, $1, 0, ${lanes.settledStart} from generate_series(1, ${waiting}) n`,
    },
    [randomUUID()],
  );
  await database.query({ name: '', text: 'analyze event_queue' }, []);
  const claim = { after: lowestId, limit, token: randomUUID(), all: true };
  expect(await mostRead((sql) => claimSettledForStart(sql, claim))).toBe(limit);
});
