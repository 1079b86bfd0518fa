import { expect, test } from 'vitest';
import { consumersAClaim } from '../../src/events/queue.ts';
import { useQueueStage } from '../support/queue-stage.ts';

const stage = useQueueStage();

test('claims do not follow each other while more consumers are paused than one looks at', async () => {
  const { rows } = stage.gateway;
  // Some wait for their workflow, the others for an attempt.
  await rows(
    `with paused as (
      insert into accounts (id, provider, account_slug, app_key, paused_since, created_at, updated_at)
      select gen_random_uuid(), 'generic', 'paused-' || n, 'shop', now(), now(), now() from generate_series(1, $1::integer) n returning id
    )
    insert into event_queue (event_id, account_id, generation, lane, direct)
    select gen_random_uuid(), id, 0, 1, n = 1 from paused cross join generate_series(0, 1) n`,
    [2 * consumersAClaim + 2],
  );
  const { link, starts, firstAttempts } = stage.process();
  link.set(stage.engines.up);
  starts.start();
  firstAttempts.start();
  const statements = async () =>
    Number((await rows('select xact_commit as n from pg_stat_database where datname = current_database()'))[0]?.n);
  const before = await statements();
  // Each claim takes some milliseconds. Looks come once or four times a second, with three pages each.
  await rows('select pg_sleep(3)');
  expect((await statements()) - before).toBeLessThan(200);
});
