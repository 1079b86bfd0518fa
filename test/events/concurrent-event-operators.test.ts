import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, answeredInTime } from '../support/admin-client.ts';
import { entriesOf } from '../support/audit.ts';
import { type Consumer, startConsumer } from '../support/consumer.ts';
import { listItemOf } from '../support/list-item.ts';
import { operatorOf } from '../support/operator.ts';
import { storedEvent } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';

// Concurrent commands of operators: each command is applied once, and has one audit entry with its result.

let operate: ReturnType<typeof operatorOf>;
const consumers: Consumer[] = [];
const gateway = useGateway({ worker: false, accountConcurrency: 8 });
beforeAll(async () => {
  operate = operatorOf(gateway.admin);
});
afterEach(async () => {
  await Promise.all(consumers.splice(0).map((consumer) => consumer.close()));
});

const kinds = ['ack', 'fail', 'dead', 'replay', 'retry'] as const;
type Kind = (typeof kinds)[number];
interface Done {
  kind: Kind;
  answer: Answer;
}

const statuses = (answers: Answer[]) => answers.map(({ status }) => status).toSorted();
const times = <T>(count: number, make: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

/** The audit entries of the commands that were answered in time: see `answered`. */
const auditedStatuses = async (id: string, action: string) =>
  (await entriesOf(gateway.database, id, action))
    .map(({ details }) => details.status)
    .filter((status) => status !== 503)
    .toSorted();

async function pendingEvent(fields: Record<string, unknown> = {}) {
  const account = await gateway.admin.createAccount(fields);
  const { body } = await gateway.send(account, '{"id":"one"}');
  return { id: String(body.id), account };
}

/**
 * A command waits at most 5 s for others on its event, and is then answered 503 without an effect. On a slow machine
 * some of these many wait longer, and are sent again.
 */
const answered = (kind: Kind, id: string) => answeredInTime(() => operate[kind](id));

/** Sends every kind of command the same number of times, concurrently. */
async function everything(id: string, operators: number): Promise<Done[]> {
  const rounds = await times(operators, () =>
    Promise.all(kinds.map(async (kind) => ({ kind, answer: await answered(kind, id) }))),
  );
  return rounds.flat();
}

/** Checks that each command was applied, or was a retry of a dead event, and has one audit entry. */
async function expectTakenAndAudited(id: string, done: Done[]) {
  for (const { kind, answer } of done)
    if (answer.status === 409) expect([kind, answer.body.code]).toEqual(['retry', 'event_dead']);
    else expect([kind, answer.status]).toEqual([kind, kind === 'replay' || kind === 'retry' ? 202 : 200]);
  const of = (...wanted: Kind[]) =>
    statuses(done.filter(({ kind }) => wanted.includes(kind)).map(({ answer }) => answer));
  expect(await auditedStatuses(id, 'event.ack')).toEqual(of('ack'));
  expect(await auditedStatuses(id, 'event.fail')).toEqual(of('fail', 'dead'));
  expect(await auditedStatuses(id, 'event.replay')).toEqual(of('replay'));
  expect(await auditedStatuses(id, 'delivery.retry')).toEqual(of('retry'));
}

describe.each([2, 20])('%i operators change one event concurrently', (operators) => {
  test('replay: each replay starts a generation, which its audit entry names', async () => {
    const { id } = await pendingEvent();
    const answers = await times(operators, () => operate.replay(id));
    expect(statuses(answers)).toEqual(Array(operators).fill(202));
    const generations = Array.from({ length: operators }, (_, n) => n + 1);
    const sorted = (numbers: unknown[]) => numbers.toSorted((a, b) => Number(a) - Number(b));
    expect(sorted(answers.map(({ body }) => body.generation))).toEqual(generations);
    const entries = await entriesOf(gateway.database, id, 'event.replay');
    expect(sorted(entries.map(({ details }) => details.generation))).toEqual(generations);
    expect(await storedEvent(gateway.database, id)).toMatchObject({ generation: operators, status: 'received' });
  });

  test('retry: each retry requests one manual attempt', async () => {
    const { id } = await pendingEvent();
    expect(statuses(await times(operators, () => operate.retry(id)))).toEqual(Array(operators).fill(202));
    const asked = await gateway.rows(
      `select number from event_commands where event_id = $1 and kind = 'retry' order by number`,
      [id],
    );
    expect(asked.map(({ number }) => number)).toEqual(Array.from({ length: operators }, (_, n) => n + 1));
    expect(await auditedStatuses(id, 'delivery.retry')).toEqual(Array(operators).fill(202));
  });

  test('all commands: each is applied once, and the event ends in the state of one of them', async () => {
    for (let round = 0; round < 3; round++) {
      const { id } = await pendingEvent();
      const done = await everything(id, operators);
      await expectTakenAndAudited(id, done);
      const now = listItemOf(await gateway.admin.event(id));
      expect(now.generation).toBe(operators);
      // The answer of the last command is the event's present state.
      expect(done.map(({ answer }) => answer.body)).toContainEqual(now);
    }
  });
});

test('all commands while a worker delivers the events: none is lost, and every delivery ends', async () => {
  let n = 0;
  const consumer = await startConsumer((response) => response.writeHead(++n % 3 === 0 ? 200 : 500).end());
  consumers.push(consumer);
  const events = await times(12, () => pendingEvent({ delivery_url: consumer.url }));
  await gateway.startWorker();
  const operators = 6;
  const all = await Promise.all(events.map(async ({ id }) => ({ id, done: await everything(id, operators) })));
  for (const { id, done } of all) {
    await expectTakenAndAudited(id, done);
    expect((await storedEvent(gateway.database, id))?.generation).toBe(operators);
  }
  const left = () =>
    gateway.rows(`select id from events where delivery_status = 'pending' and account_id = any($1)`, [
      events.map(({ account }) => account.id),
    ]);
  await until('every delivery has ended', async () => (await left()).length === 0);
  await until('every command was passed on', async () => {
    return (await gateway.rows('select 1 from event_commands limit 1')).length === 0;
  });
  await gateway.stopWorker();
  // Six operators and twelve events, all in workflows: 5 to 14 s alone, and 20 to 30 while other tests run.
});
