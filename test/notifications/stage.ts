import { EventReceiver } from '../../src/events/event-receiver.ts';
import { OutcomeRecorder } from '../../src/events/transitions/attempt-recorded.ts';
import { addNotifications } from '../../src/notifications/add-notifications.ts';
import type { BurstLimit } from '../../src/notifications/bursts.ts';
import type { Log } from '../../src/shared/log.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { outcomeOf, receivedEvent } from '../support/received.ts';
import { rows } from '../support/stored.ts';
import { useForEach } from '../support/use.ts';

/** A database for accounts, destinations and events that a test exhausts by a call. No worker runs. */
async function openNotificationStage() {
  const gateway: TestGateway = await startGateway({ worker: false });
  const { database, admin } = gateway;
  const receiver = new EventReceiver(database);
  const recorder = (burst: BurstLimit | null = null, log?: Pick<Log, 'warn'>) =>
    new OutcomeRecorder(database, addNotifications({ burst, ...(log ? { log } : {}) }));
  return {
    gateway,
    recorder,
    database,
    account: () => admin.createAccount({}),
    async destination(account: { id: string }, fields: Record<string, unknown> = {}): Promise<string> {
      const { status, body } = await admin.post(`/admin/accounts/${account.id}/destinations`, {
        ...{ destination_type: 'webhook', name: 'Hook', config: { url: 'http://127.0.0.1:9/hook' } },
        ...fields,
      });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body.id;
    },
    async received(account: { id: string }, fields: Parameters<typeof receivedEvent>[1] = {}): Promise<string> {
      const event = receivedEvent(account, fields);
      await receiver.receive(event);
      return event.id;
    },
    /** Records a failed tenth attempt of each event, concurrently. */
    exhaust: (ids: string[], by = recorder()) => Promise.all(ids.map((id) => by.record(tenth(id)))),
    notifications: () =>
      rows(database, 'select * from notifications order by event_id, generation, ordinal, destination_id'),
    summaries: () => rows(database, 'select * from notification_summaries order by id'),
    close: () => gateway.stop(),
  };
}

export type NotificationStage = Awaited<ReturnType<typeof openNotificationStage>>;

/** A new stage for each test. */
export const useNotificationStage = (): NotificationStage =>
  useForEach(openNotificationStage, (stage) => stage.close());

/** A failed tenth attempt. */
export const tenth = (eventId: string, generation = 0) =>
  outcomeOf(eventId, {
    ...{ generation, number: 10, last: true, succeeded: false, nextAttemptAt: null },
    ...{ responseCode: 503, error: 'the consumer answered 503' },
  });
