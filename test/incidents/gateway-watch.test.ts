import { expect, onTestFinished, test, vi } from 'vitest';
import type { GatewayCause } from '../../src/incidents/gateway-cause.ts';
import { createGatewayWatch, type GatewayCondition } from '../../src/incidents/gateway-watch.ts';
import { changeByOperator } from '../../src/incidents/incident-changes.ts';
import { createIncidentJudge } from '../../src/incidents/judging/judge.ts';
import { log } from '../support/runtime.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();

const query = async (text: string) => (await database.pool.query(text)).rows;
const incidents = () =>
  query('select id, cause, state, acknowledged_by, first_seen_at, reopened_at from incidents order by cause');
const incidentOf = async (cause: string) => (await incidents()).find((incident) => incident.cause === cause);
const stateOf = async (cause: string) => (await incidentOf(cause))?.state;

/** A cause of a test alone: disks have any name. */
const causeOf = (disk: string): GatewayCause => `the disk at ${disk} is nearly full`;

async function startJudge(quietS = 5) {
  const judge = createIncidentJudge({
    database,
    tell: async () => undefined,
    log,
    pace: { judgeMs: 50, times: { quietS } },
  });
  await forTest(judge);
  judge.start();
  return judge;
}

/** A watch of conditions that the test decides. */
async function startWatch(read: () => GatewayCondition[], onOpening = () => {}, watchMs = 50) {
  const watched = createGatewayWatch({ sql: database, conditions: async () => read(), log, watchMs, onOpening });
  await forTest(watched);
  watched.start();
  return watched;
}

async function watch(read: () => GatewayCondition[], watchMs?: number) {
  const judge = await startJudge();
  await startWatch(read, () => judge.wake(), watchMs);
}

/** Counts that open and keep nothing, from which a test sees that the judge has made a round. */
const addMark = `insert into incident_counts (kind, cause, first_at, last_at) values ('gateway', 'mark', now(), now())`;
const isJudged = async () =>
  (await query(`select from incident_counts where cause = 'mark' and not added`)).length === 0;

/** Opens an incident of each cause, which a person acknowledges. */
async function acknowledged(...causes: GatewayCause[]) {
  const watched = await startWatch(() => causes.map((cause) => ({ cause, afterMs: 0 })));
  for (const cause of causes) {
    const { id } = await until('it is open', () => incidentOf(cause));
    await database.transaction((sql) => changeByOperator(sql, id, { state: 'acknowledged', actor: 'ann' }));
  }
  await watched.stop();
}

/** After the mark: that a judge without reports resolves neither, and that with a watch only the one resolves that has ended. */
async function onlyEnds(ended: GatewayCause, holds: GatewayCause) {
  await until('incidents were judged before the first report', isJudged);
  expect(await stateOf(holds)).toBe('acknowledged');
  await startWatch(() => [{ cause: holds, afterMs: 3_600_000 }]);
  await until('the other one is resolved', async () => (await stateOf(ended)) === 'resolved');
  expect(await incidentOf(holds)).toMatchObject({ state: 'acknowledged', acknowledged_by: 'ann', reopened_at: null });
}

test('a condition is an incident after its time, and resolves when it holds no longer', async () => {
  const cause = causeOf('it holds for a while');
  let found: GatewayCondition[] = [{ cause, afterMs: 700 }];
  const startMs = Date.now();
  await watch(() => found);
  await until('it is open', async () => (await incidents()).length === 1);
  expect(Date.now() - startMs).toBeGreaterThan(690);
  expect(await incidents()).toMatchObject([{ cause, state: 'open' }]);
  const stillMs = Date.now();
  await until('a while has passed', () => Date.now() - stillMs > 1_500);
  expect(await incidents()).toMatchObject([{ state: 'open' }]);
  found = [];
  await until('it is resolved', async () => (await incidents())[0].state === 'resolved');
});

test('one look that fails is no incident, however rarely the watch looks', async () => {
  const looks: number[] = [];
  const seen = causeOf('it is seen after the failed look');
  await watch(() => {
    looks.push(Date.now());
    if (looks.length === 1) throw new Error('canceling statement');
    return [{ cause: seen, afterMs: 0 }];
  }, 3_600_000);
  await until('it has looked again', async () => (await incidents()).some(({ cause }) => cause === seen));
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

test('a database that took no writes is an incident, and what was only seen meanwhile is none', async () => {
  const noWorker: GatewayCondition = { cause: 'no worker runs', afterMs: 1_000 };
  let isWritable = false;
  let looksAfter = 0;
  await query('alter table incident_counts rename to unwritable');
  // The look after the outage still sees it, as a process that asks the database for it once a minute.
  await watch(() => (isWritable && ++looksAfter > 1 ? [] : [noWorker]));
  const startMs = Date.now();
  await until('it took none for longer than a restart takes', () => Date.now() - startMs > 11_000);
  await query('alter table unwritable rename to incident_counts');
  isWritable = true;
  await until('it was opened', async () => (await stateOf('the database did not answer')) !== undefined);
  await until('the watch looks as usual', () => looksAfter > 3);
  await until('it is resolved', async () => (await stateOf('the database did not answer')) === 'resolved');
  expect(await stateOf(noWorker.cause)).toBeUndefined();
});

test('each condition ends by itself, while others hold', async () => {
  const certificate: GatewayCondition = {
    cause: 'a client certificate of a consumer expires within 14 days',
    afterMs: 0,
  };
  const temporal: GatewayCondition = { cause: 'Temporal does not answer', afterMs: 0 };
  let found = [certificate, temporal];
  await watch(() => found);
  await until('both are open', async () => (await stateOf(temporal.cause)) === 'open');
  expect(await stateOf(certificate.cause)).toBe('open');
  found = [certificate];
  await until('one is resolved', async () => (await stateOf(temporal.cause)) === 'resolved');
  expect(await stateOf(certificate.cause)).toBe('open');
  found = [certificate, temporal];
  await until('it is open again', async () => (await stateOf(temporal.cause)) === 'open');
});

test('an acknowledged incident survives a restart if its condition holds, and resolves if it has ended', async () => {
  const [holds, ended] = [causeOf('it holds after a restart'), causeOf('it ended during a restart')];
  const before = await startJudge();
  await acknowledged(holds, ended);
  await before.stop();
  // Nothing runs for a minute.
  await query(`update incidents set failing_at = now() - interval '1 minute' where state <> 'resolved'`);
  await query('delete from incident_counts');

  await query(addMark);
  await startJudge();
  await onlyEnds(ended, holds);
});

test('an acknowledged incident survives an outage of the database', async () => {
  const [holds, ended] = [causeOf('it holds after an outage'), causeOf('it ended during an outage')];
  const quietS = 3;
  await startJudge(quietS);
  await acknowledged(holds, ended);
  await database.transaction(async (sql) => {
    await sql.query({ name: '', text: 'lock table incident_counts in access exclusive mode' }, []);
    const lockedMs = performance.now();
    const longerMs = quietS * 1_000 + 500;
    await until('it was away for longer than the quiet time', () => performance.now() - lockedMs > longerMs);
    await sql.query({ name: '', text: addMark }, []);
  });
  await onlyEnds(ended, holds);
});

test('an incident stays open while its condition holds, also when the clock of the process is wrong', async () => {
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 120_000);
  onTestFinished(() => clock.mockRestore());
  const cause = causeOf('it holds while the clock is wrong');
  await watch(() => [{ cause, afterMs: 0 }]);
  await until('it is open', async () => (await stateOf(cause)) === 'open');
  const openMs = performance.now();
  await until('it would have resolved', () => performance.now() - openMs > 7_000);
  expect(await incidentOf(cause)).toMatchObject({ state: 'open', reopened_at: null });
});

test('a condition that is too young opens no incident', async () => {
  const [young, old] = [causeOf('it is young'), causeOf('it is old')];
  await watch(() => [
    { cause: young, afterMs: 3_600_000 },
    { cause: old, afterMs: 0 },
  ]);
  await until('the old one is open', async () => (await stateOf(old)) === 'open');
  expect(await stateOf(young)).toBeUndefined();
});
