import { expect, test } from 'vitest';
import { createGatewayWatch, type GatewayCondition } from '../../src/incidents/gateway-watch.ts';
import { createIncidentJudge } from '../../src/incidents/judging/judge.ts';
import { log } from '../support/runtime.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();

const incidents = async () =>
  (await database.pool.query('select cause, state, first_seen_at from incidents order by cause')).rows;

/** A watch of conditions that the test decides. */
async function watch(read: () => GatewayCondition[], watchMs = 50) {
  const judge = createIncidentJudge({
    database,
    tell: async () => undefined,
    log,
    pace: { judgeMs: 50, times: { quietS: 5 } },
  });
  const watched = createGatewayWatch({
    ...{ sql: database, conditions: async () => read(), log, watchMs, onOpening: () => judge.wake() },
  });
  await forTest(judge);
  await forTest(watched);
  judge.start();
  watched.start();
}

test('a condition is an incident after its time, and resolves when it holds no longer', async () => {
  let found: GatewayCondition[] = [{ cause: 'the disk is full', afterMs: 700 }];
  const startMs = Date.now();
  await watch(() => found);
  await until('it is open', async () => (await incidents()).length === 1);
  expect(Date.now() - startMs).toBeGreaterThan(690);
  expect(await incidents()).toMatchObject([{ cause: 'the disk is full', state: 'open' }]);
  const stillMs = Date.now();
  await until('a while has passed', () => Date.now() - stillMs > 1_500);
  expect(await incidents()).toMatchObject([{ state: 'open' }]);
  found = [];
  await until('it is resolved', async () => (await incidents())[0].state === 'resolved');
});

test('one look that fails is no incident, however rarely the watch looks', async () => {
  const looks: number[] = [];
  await watch(() => {
    looks.push(Date.now());
    if (looks.length === 1) throw new Error('canceling statement');
    return [{ cause: 'seen after it', afterMs: 0 }];
  }, 3_600_000);
  await until('it has looked again', async () => (await incidents()).some(({ cause }) => cause === 'seen after it'));
  expect((await incidents()).map(({ cause }) => cause)).not.toContain('the database did not answer');
});

test('a database that was away is an incident once it is back', async () => {
  let isAway = true;
  await watch(() => {
    if (isAway) throw new Error('connection refused');
    return [];
  });
  const startMs = Date.now();
  await until('it was away for longer than a restart takes', () => Date.now() - startMs > 11_000);
  isAway = false;
  const found = await until('it is open', async () => {
    const rows = (await incidents()).filter(({ cause }) => cause === 'the database did not answer');
    return rows.length === 1 && rows;
  });
  expect(Date.parse(found[0].first_seen_at)).toBeLessThan(startMs + 11_000);
  await until('it is resolved', async () => (await incidents()).every(({ state }) => state === 'resolved'));
});
