import { expect, test } from 'vitest';
import type { Sql } from '../../src/database/sql.ts';
import { OutcomeRecorder } from '../../src/events/transitions/attempt-recorded.ts';
import { addNotifications } from '../../src/notifications/add-notifications.ts';
import { tenth, useNotificationStage } from './stage.ts';

const stage = useNotificationStage();

const json = (value: unknown) => ({ body: Buffer.from(JSON.stringify(value)) });
const told = async () => (await stage.notifications()).map(({ event_id, name }) => `${name} ${event_id}`);

test('a condition on the payload or a header notifies for the right events', async () => {
  const account = await stage.account();
  await stage.destination(account, { name: 'large', condition: 'payload.amount > 100' });
  await stage.destination(account, { name: 'eu', position: 1, condition: 'header["x-region"] == "eu"' });
  const high = await stage.received(account, json({ amount: 150 }));
  const low = await stage.received(account, { ...json({ amount: 50 }), headers: '[["X-Region","eu"]]' });
  const text = await stage.received(account, { body: Buffer.from('amount=150') });
  await stage.exhaust([high, low, text]);
  expect((await told()).sort()).toEqual([`eu ${low}`, `large ${high}`]);
});

test('a webhook that was sent is judged by what is stored of it, with its secrets masked', async () => {
  const { gateway } = stage;
  const account = await stage.account();
  await stage.destination(account, { name: 'masked', condition: 'header["authorization"] == "[masked]"' });
  await stage.destination(account, { name: 'probe', condition: 'header["authorization"].contains("Bearer")' });
  const { body } = await gateway.send(account, '{"id":1}', { authorization: 'Bearer do-not-show' });
  await stage.exhaust([body.id]);
  expect(await told()).toEqual([`masked ${body.id}`]);
});

test('many events of two accounts, with small and large bodies, get what their own conditions say', async () => {
  const [first, second] = [await stage.account(), await stage.account()];
  await stage.destination(first, { name: 'even', condition: 'payload.even' });
  await stage.destination(second, { name: 'all' });
  const ids = await Promise.all(
    Array.from({ length: 150 }, (_, n) =>
      stage.received(
        n % 3 === 0 ? second : first,
        json({ even: n % 2 === 0, text: 'x'.repeat(n % 10 === 0 ? 100_000 : 1) }),
      ),
    ),
  );
  await stage.exhaust(ids);
  const wanted = ids.flatMap((id, n) => (n % 3 === 0 ? [`all ${id}`] : n % 2 === 0 ? [`even ${id}`] : []));
  expect((await told()).sort()).toEqual(wanted.sort());
});

test('nothing is read of events whose account has no condition on their content', async () => {
  const account = await stage.account();
  await stage.destination(account, { condition: 'delivery_failed and attempts >= 1' });
  const statements: string[] = [];
  const add = addNotifications({ burst: null });
  const recorder = new OutcomeRecorder(stage.database, (sql, ids) => {
    const query: typeof sql.query = (statement, values) => {
      statements.push(statement.name);
      return sql.query(statement, values);
    };
    return add({ ...sql, query }, ids);
  });
  await recorder.record(tenth(await stage.received(account)));
  expect(await stage.notifications()).toHaveLength(1);
  expect(statements).toEqual(['read_event_rows', 'read_destinations_to_tell', 'insert_notifications']);
});

test('bodies are read before the transaction that ends the deliveries', async () => {
  const account = await stage.account();
  await stage.destination(account, { condition: 'payload.amount > 100' });
  const id = await stage.received(account, json({ amount: 150 }));
  const inside: string[] = [];
  const before: string[] = [];
  const add = addNotifications({ burst: null });
  const noted = (sql: Sql, names: string[]): Sql => ({
    query: (statement, values) => {
      names.push(statement.name);
      return sql.query(statement, values);
    },
  });
  const when = Object.assign((sql: Sql, ids: string[]) => add(noted(sql, inside), ids), {
    prepare: async (sql: Sql, ids: string[]) => add.prepare?.(noted(sql, before), ids),
  });
  await new OutcomeRecorder(stage.database, when).record(tenth(id));
  expect(await told()).toEqual([`Hook ${id}`]);
  expect(before).toEqual(['read_content_conditions', 'read_stored_contents']);
  expect(inside).toEqual(['read_event_rows', 'read_destinations_to_tell', 'insert_notifications']);
});

test('a condition that is changed between the reading and the transaction holds as it is then', async () => {
  const account = await stage.account();
  const destination = await stage.destination(account, { condition: 'provider == "none"' });
  const id = await stage.received(account, json({ amount: 150 }));
  const add = addNotifications({ burst: null });
  const when = Object.assign((sql: Sql, ids: string[]) => add(sql, ids), {
    prepare: async (sql: Sql, ids: string[]) => {
      await add.prepare?.(sql, ids);
      const path = `/admin/accounts/${account.id}/destinations/${destination}`;
      await stage.gateway.admin.request('PATCH', path, { condition: 'payload.amount > 100' });
    },
  });
  await new OutcomeRecorder(stage.database, when).record(tenth(id));
  expect(await told()).toEqual([`Hook ${id}`]);
});

test('a condition that exceeds its limit of work notifies, and the log says so once, without values', async () => {
  const account = await stage.account();
  await stage.destination(account, { condition: 'matches(payload.text, "never")' });
  const lines: unknown[] = [];
  const recorder = stage.recorder(null, { warn: (...line: unknown[]) => void lines.push(line) });
  const large = () => stage.received(account, json({ text: 'do-not-show '.repeat(1_000) }));
  const ids = [await large(), await large()];
  for (const id of ids) await stage.exhaust([id], recorder);
  expect(await stage.notifications()).toHaveLength(2);
  expect(lines).toEqual([
    [{ eventId: ids[0], conditions: 1 }, 'conditions exceeded their limit of work and counted as met'],
  ]);
  expect(JSON.stringify(lines)).not.toContain('do-not-show');
});
