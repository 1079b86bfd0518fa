import { randomBytes } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { expect, inject, test } from 'vitest';
import { createLog } from '../../src/shared/log.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { send } from '../support/admin-client.ts';
import { accountForTest } from '../support/consumer.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { migratedRoles } from '../support/gateway-roles.ts';
import { until } from '../support/until.ts';
import { forTest } from '../support/use.ts';

gatewaysEndWithTheirTest();

/** A new namespace on the server of the test run. */
async function ownNamespace() {
  const address = inject('temporalAddress');
  const namespace = `own-${randomBytes(6).toString('hex')}`;
  const connection = await forTest(Connection.connect({ address }));
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  const { workflow } = new Client({ connection, namespace });
  await until('the namespace is there', () => workflow.count(), { retryErrors: true });
  const attributes = Object.values(searchAttributes).map(({ name }) => name);
  return {
    namespace,
    workflow,
    /** Removes what the worker registers when it connects. */
    async removeAttributes() {
      await until('the worker has registered them', async () => {
        const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
        return attributes.every((name) => name in customAttributes);
      });
      await connection.operatorService.removeSearchAttributes({ namespace, searchAttributes: attributes });
      await until('the server refuses them', () =>
        workflow
          .start('nobodyRunsIt', {
            ...{ workflowId: randomBytes(8).toString('hex'), taskQueue: 'none' },
            typedSearchAttributes: [{ key: searchAttributes.attempt, value: 1 }],
          })
          .then(
            () => false,
            () => true,
          ),
      );
    },
    async addAttributes() {
      const native = await connectTemporal({ address, namespace, taskQueue: '', apiKey: null, tls: false });
      await registerSearchAttributes(native, namespace, createLog('silent'));
      await native.close();
    },
    attemptShown: async (eventId: string) =>
      (await workflow.getHandle(`event-${eventId}`).describe()).typedSearchAttributes.get(searchAttributes.attempt),
  };
}

const saidWithout = 'workflows started without search attributes';

test('in a namespace without the search attributes, events are retried, and later workflows have them again', async () => {
  const own = await ownNamespace();
  const roles = await migratedRoles({
    ...{ TEMPORAL_NAMESPACE: own.namespace, DELIVERY_SCHEDULE: '100ms,100ms,1s,1s,1s,1s,1s,1s,1s' },
    EVENT_WORKFLOWS: 'always',
  });
  const [api, worker] = await Promise.all([roles.apiHere(), roles.workerHere()]);
  await own.removeAttributes();
  const { account } = await accountForTest(api.admin, 500, 500, 200, 500, 500, 200, 200);
  for (const id of ['one', 'two']) {
    const { body } = await send(api.baseUrl, account, JSON.stringify({ id }));
    const event = await api.admin.eventually(body.id, (e) => e.delivery_status === 'delivered');
    expect(event.attempts).toBe(3);
    expect(await own.workflow.getHandle(`event-${body.id}`).result()).toMatchObject({ outcome: 'delivered' });
    expect(await own.attemptShown(body.id)).toBeUndefined();
  }
  expect(worker.stderr().split(saidWithout)).toHaveLength(2);

  await own.addAttributes();
  await until('a workflow has them', async () => {
    const { body } = await send(api.baseUrl, account, JSON.stringify({ id: randomBytes(8).toString('hex') }));
    await api.admin.eventually(body.id, (e) => e.workflow !== null);
    return (await own.attemptShown(body.id)) === 1;
  });
  expect(worker.stderr()).toContain('workflows started with search attributes again');
});
