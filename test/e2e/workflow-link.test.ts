import { Client, Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { createWorkflowFinder } from '../../src/engine/workflow-finder.ts';
import { pauseDeliveries, resumeDeliveries, waitsForResumption } from '../support/paused.ts';
import { hold } from '../support/replies.ts';
import { openStage } from '../support/situations.ts';
import { forTest } from '../support/use.ts';
import { useConsumer, useGateway } from '../support/use-gateway.ts';

const consumer = useConsumer();
const gateway = useGateway({ eventWorkflows: 'always' });

test('an event links to its workflow in the Web UI for as long as Temporal keeps it', async () => {
  const account = await gateway.admin.createAccount({ delivery_url: consumer.url });
  const { body } = await gateway.send(account, '{"id":"linked"}');
  const event = await gateway.admin.eventually(
    body.id,
    (e) => e.workflow !== null && e.delivery_status === 'delivered',
  );
  const { id, run_id: runId, url } = event.workflow;
  expect(id).toBe(`event-${event.id}`);
  expect(url).toBe(`${gateway.temporal.uiUrl}/namespaces/default/workflows/${id}/${runId}/history`);
  expect((await fetch(url)).status).toBe(200);

  const { address, namespace } = gateway.temporal;
  const connection = await Connection.connect({ address });
  await new Client({ connection, namespace }).workflow.getHandle(id, runId).result();
  await connection.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId: id, runId } });
  await connection.close();
  // Temporal deletes only workflows that its visibility queue has acknowledged, which it does about every 30 s.
  const later = await gateway.admin.eventually(event.id, (e) => e.workflow === null, 120_000);
  expect(later.delivery_status).toBe('delivered');
});

test('while Temporal is unavailable an event is shown quickly, without the link', async () => {
  const finder = createWorkflowFinder({ ...gateway.temporal, address: '127.0.0.1:1' });
  expect(await finder.find('01a1fb47-2990-7103-bb77-1c90fa89b69e')).toBeNull();
  await finder.close();
});

test('an event keeps the link to its workflow while it waits for the end of a pause', async () => {
  const stage = await forTest(openStage({ eventWorkflows: 'on_retry' }));
  const { admin } = stage.gateway;
  const held = hold();
  const { id } = await stage.sent(500, held.reply, 200);
  await held.arrived;
  const { workflow } = await admin.eventually(id, (e) => e.workflow !== null);
  await pauseDeliveries(admin);
  held.answer(500);
  await waitsForResumption(stage, id);
  // The link is left out when Temporal answers too late.
  const waiting = await admin.eventually(id, (e) => e.workflow !== null);
  expect(waiting).toMatchObject({ waits_for: 'paused', workflow });
  await resumeDeliveries(admin);
  const event = await admin.eventually(id, (e) => e.delivery_status === 'delivered' && e.workflow !== null);
  expect(event.workflow).toMatchObject({ id: workflow.id });
});
