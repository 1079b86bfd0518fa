import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { claimSettledForStart } from '../../src/engine/claim-starts.ts';
import { leaveFirstAttempts } from '../../src/engine/leave-to-workflows.ts';
import { lanes } from '../../src/events/lanes.ts';
import { lowestId } from '../../src/events/queue.ts';
import { mostRead } from '../support/most-read.ts';
import { useDatabase } from '../support/use-database.ts';

// A burst leaves more events to start than a second of Temporal takes. Each claim then takes a few of a hundred thousand.

const database = useDatabase();
const waiting = 100_000;
const limit = 12;

test('a claim of settled events reads only what it takes, however many wait', async () => {
  const accountId = randomUUID();
  // In the order of their ids, as events arrive. One statement for all of them takes a third of its time limit of 9 s.
  for (let first = 1; first <= waiting; first += 10_000)
    await database.query(
      {
        name: '',
        text: `insert into event_queue (event_id, account_id, generation, lane)
          select lpad(to_hex(n), 32, '0')::uuid, $1, 0, ${lanes.settledStart} from generate_series($2::integer, $2::integer + 9_999) n`,
      },
      [accountId, first],
    );
  await database.query({ name: '', text: 'analyze event_queue' }, []);
  const claim = { after: lowestId, limit, token: randomUUID(), all: true };
  expect(await mostRead(database, (sql) => claimSettledForStart(sql, claim))).toBe(limit);
});

test('what is left to workflows is found without reading the events of paused consumers', async () => {
  const [paused, other] = [randomUUID(), randomUUID()];
  const run = (text: string, values: unknown[]) => database.query({ name: '', text }, values);
  await run(
    `insert into accounts (id, provider, account_slug, app_key, paused_since, created_at, updated_at)
      select id, 'generic', 'shop-' || n, 'shop', case when n = 1 then now() end, now(), now() from unnest($1::uuid[]) with ordinality i (id, n)`,
    [[paused, other]],
  );
  const queued = `insert into event_queue (event_id, account_id, generation, lane)
    select gen_random_uuid(), $1, 0, ${lanes.firstAttempt} from generate_series(1, $2::integer)`;
  await run(queued, [paused, 10_000]);
  await run(queued, [other, limit]);
  await run('analyze event_queue', []);
  expect(await mostRead(database, (sql) => leaveFirstAttempts(sql, 500))).toBe(limit);
});
