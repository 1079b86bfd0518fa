import { afterEach, expect, test } from 'vitest';
import { sweep } from '../../src/events/transitions/swept.ts';
import { attemptsOf } from '../support/history.ts';
import { resumeDeliveries } from '../support/paused.ts';
import { hold } from '../support/replies.ts';
import { useStage, waitingEvent } from '../support/situations.ts';
import { until } from '../support/until.ts';

// Events whose next attempt becomes due in a pause that has lasted for hours.

const stage = useStage({});
afterEach(async () => {
  await resumeDeliveries(stage.gateway.admin);
});

/** Stores a pause that began ten hours ago, and announces it. */
async function longPause(): Promise<void> {
  const pause = JSON.stringify({ since: new Date(Date.now() - 10 * 3_600_000).toISOString(), reason: 'a test' });
  await stage.gateway.rows(
    `with paused as (insert into gateway_settings (key, value) values ('delivery_paused', $1) returning key)
     select pg_notify('gateway_pause', '') from paused`,
    [Buffer.from(pause)],
  );
}

test.each([0, 1])(
  'the workflow of a due event of generation %i ends, and another one delivers the event when the pause ends',
  { timeout: 120_000 },
  async (generation) => {
    const { admin } = stage.gateway;
    const held = hold();
    const { consumer, id } = await stage.sent(...Array(generation).fill(200), held.reply, 200);
    if (generation === 1) {
      await admin.eventually(id, (e) => e.delivery_status === 'delivered' && e.status === 'enqueued');
      await admin.post(`/admin/events/${id}/replay`);
    }
    await held.arrived;
    await longPause();
    held.answer(500);
    await admin.eventually(id, (e) => e.generation === generation && e.next_attempt_at !== null);
    await until('its workflow has ended', async () => {
      const { status } = await stage.workflows.status(id).catch(() => ({ status: null }));
      return status === 'COMPLETED' && (await stage.workflows.result(id)).outcome === 'superseded';
    });
    await resumeDeliveries(admin);
    const event = await admin.eventually(id, (e) => e.delivery_status === 'delivered' && e.generation === generation);
    expect(attemptsOf(event).slice(-2)).toEqual([
      `${generation} schedule 1 http_error`,
      `${generation} schedule 2 delivered`,
    ]);
    expect(consumer.deliveries).toHaveLength(generation + 2);
    expect(await stage.workflows.result(id)).toMatchObject({ outcome: 'delivered', generation, attempts: 2 });
  },
);

test('the sweep starts a lost workflow after a long pause, not in it', async () => {
  const { id } = await waitingEvent(stage);
  await stage.workflows.terminate(id);
  await longPause();
  await stage.gateway.rows(`update events set next_attempt_at = now() - interval '1 h' where id = $1`, [id]);
  expect(await sweep(stage.gateway.database, { overdueS: 120, limit: 10 })).toEqual({ queued: 0, more: false });
  await resumeDeliveries(stage.gateway.admin);
  await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
}, 120_000);
