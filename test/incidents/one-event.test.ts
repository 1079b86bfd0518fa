import { describe, expect, test } from 'vitest';
import { nineQuickDelaysMs, slowDelaysMs } from '../support/gateway.ts';
import { useStage } from '../support/situations.ts';
import { answer, incidentsOf, quickPace, sendSome } from './support.ts';

describe('with ten attempts', () => {
  // The fifth attempt does not become due.
  const delaysMs = [...nineQuickDelaysMs.slice(0, 3), ...slowDelaysMs.slice(3)];
  const stage = useStage({ delaysMs, incidents: quickPace });

  test('an event that fails for the fourth time opens an incident, while all others succeed', async () => {
    const consumer = await stage.consumer((response, { body }) =>
      body.includes('"failing"')
        ? response.writeHead(422, { 'content-type': 'text/plain' }).end('unknown order 4711')
        : response.writeHead(200).end(),
    );
    const account = await stage.gateway.admin.createAccount({ delivery_url: consumer.url });
    await sendSome(stage.gateway, account, consumer, 2);
    const { id } = (await stage.gateway.send(account, '{"id":"failing","type":"order"}')).body;
    await sendSome(stage.gateway, account, consumer, 2);
    const incident = await incidentsOf(stage.gateway).one(account.id);
    expect(incident).toMatchObject({ cause: '422 unknown order #', example_event_id: id, state: 'open' });
  });

  test('three failures of an event open none', async () => {
    const consumer = await stage.consumer(500, 500, 500, 200);
    const account = await stage.gateway.admin.createAccount({ delivery_url: consumer.url });
    const [id = ''] = await sendSome(stage.gateway, account, consumer, 1);
    await stage.gateway.admin.eventually(id, ({ delivery_status }) => delivery_status === 'delivered');
    await sendSome(stage.gateway, account, consumer, 1);
    expect(await incidentsOf(stage.gateway).list(`?account_id=${account.id}`)).toEqual([]);
  });
});

describe('with three attempts', () => {
  const stage = useStage({ incidents: quickPace });

  test('an event that is exhausted opens an incident, in which it stays until it is replayed', async () => {
    const { id, accountId, consumer } = await stage.sent(answer(500, 'gone'));
    // Attempts are counted after what waits and what is exhausted.
    const incident = await incidentsOf(stage.gateway).one(
      accountId,
      ({ exhausted, attempts }) => exhausted === 1 && attempts === 3,
    );
    expect(incident).toMatchObject({ cause: '500 gone', attempts: 3, waiting: 0, example_event_id: id });
    consumer.replies = [200];
    await stage.operate.replay(id);
    await stage.gateway.admin.eventually(id, ({ delivery_status }) => delivery_status === 'delivered');
    expect((await incidentsOf(stage.gateway).read(incident.id)).body).toMatchObject({ waiting: 0, exhausted: 0 });
  });

  test('an acknowledged event is over', async () => {
    const { id, accountId } = await stage.sent(answer(500, 'gone'));
    const incident = await incidentsOf(stage.gateway).one(accountId, ({ exhausted }) => exhausted === 1);
    await stage.operate.ack(id);
    expect((await incidentsOf(stage.gateway).read(incident.id)).body).toMatchObject({ waiting: 0, exhausted: 0 });
    const { body } = await stage.gateway.admin.request('GET', `/admin/events?incident=${incident.id}`);
    expect(body).toEqual([]);
  });
});
