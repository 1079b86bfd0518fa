import { describe, expect, test } from 'vitest';
import { ack } from '../../src/events/transitions/acknowledged.ts';
import { OutcomeRecorder } from '../../src/events/transitions/attempt-recorded.ts';
import { declareDead } from '../../src/events/transitions/declared-dead.ts';
import { replayFailed } from '../../src/events/transitions/replayed.ts';
import { outcomeOf } from '../support/received.ts';
import { until } from '../support/until.ts';
import { failedEvents, gateway, gatewayForEachTest, generations, other, state } from './failed-events.ts';
import { fillEvents } from './fill-events.ts';

gatewayForEachTest();

describe('concurrently', () => {
  test('eight calls replay each event once', async () => {
    await fillEvents(gateway.database, failedEvents(2_000));
    const replayed = await Promise.all(Array.from({ length: 8 }, () => replayFailed(gateway.database)));
    expect(replayed.reduce((sum, n) => sum + n, 0)).toBe(2_000);
    expect(await generations()).toEqual([{ generation: 1, n: 2_000 }]);
    expect(
      await gateway.rows('select count(*)::integer as n from event_queue where generation = 1 and lane = 0'),
    ).toEqual([{ n: 2_000 }]);
  });

  test.each<[string, (id: string) => Promise<unknown>, Record<string, unknown>]>([
    [
      'a declaration as dead',
      (id) => other.query(`update events set status = 'dead' where id = $1`, [id]),
      { status: 'dead', generation: 0 },
    ],
    [
      'a success',
      (id) => other.query(`update events set status = 'processed', delivery_status = 'delivered' where id = $1`, [id]),
      { delivery_status: 'delivered', generation: 0 },
    ],
    [
      'another replay',
      (id) =>
        other.query(
          `update events set generation = 1, status = 'received', delivery_status = 'pending' where id = $1`,
          [id],
        ),
      { generation: 1 },
    ],
    [
      'an unrelated change',
      (id) => other.query(`update events set swept_at = now() where id = $1`, [id]),
      { generation: 1, status: 'received' },
    ],
  ])('%s that commits first is respected', async (_name, change, wanted) => {
    const ids = await fillEvents(gateway.database, failedEvents(9, 3));
    const id = ids[4] ?? '';
    await other.query('begin');
    await change(id);
    const replaying = replayFailed(gateway.database);
    const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await until('it waits for the event', async () => (await other.query(waits)).rowCount === 1);
    await other.query('commit');
    expect(await replaying).toBe(_name === 'an unrelated change' ? 9 : 8);
    expect(await state(id)).toMatchObject(wanted);
  });

  test('commands of operators and attempts are all applied', async () => {
    const ids = await fillEvents(gateway.database, failedEvents(200));
    const recorder = new OutcomeRecorder(gateway.database, async () => undefined);
    const work = ids.map(async (id, n) => {
      if (n % 4 === 0) return ack(gateway.database, id);
      if (n % 4 === 1) return declareDead(gateway.database, id, null);
      if (n % 4 === 2) return null;
      return recorder.record(outcomeOf(id, { trigger: 'manual' }));
    });
    await Promise.all([...work, ...Array.from({ length: 4 }, () => replayFailed(gateway.database))]);
    expect(
      await gateway.rows('select * from events where id = any($1)', [ids.filter((_, n) => n % 4 === 0)]),
    ).toSatisfy((events: { status: string; generation: number; delivery_status: string }[]) =>
      events.every(
        (e) => (e.status === 'processed' && e.generation <= 1) || (e.generation >= 1 && e.status === 'received'),
      ),
    );
    const dead = await gateway.rows('select status from events where id = any($1)', [
      ids.filter((_, n) => n % 4 === 1),
    ]);
    expect(dead).toEqual(Array(50).fill({ status: 'dead' }));
    expect(await gateway.rows('select * from delivery_attempts')).toHaveLength(50);
    const unqueued = await gateway.rows(
      `select 1 from events e where generation > 0 and not exists (select 1 from event_queue q where q.event_id = e.id and q.generation = e.generation)`,
    );
    expect(unqueued).toEqual([]);
  });
});
