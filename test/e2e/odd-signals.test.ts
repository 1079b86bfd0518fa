import { WorkflowNotFoundError } from '@temporalio/client';
import { RawValue } from '@temporalio/common';
import { expect, test } from 'vitest';
import { slowDelaysMs } from '../support/gateway.ts';
import { attemptsOf } from '../support/history.ts';
import { hold } from '../support/replies.ts';
import { collectLines } from '../support/runtime.ts';
import { deliveredEvent, useStage, waitingEvent } from '../support/situations.ts';
import { until } from '../support/until.ts';

// Signals that were sent by hand, in Temporal's Web UI for example, with any content (docs/operations.md).

const stage = useStage({ delaysMs: slowDelaysMs, apiDelivers: false, eventWorkflows: 'always' });

const names = ['ack', 'fail', 'retry', 'replay'] as const;
type SignalName = (typeof names)[number];

/** The Web UI offers this encoding in addition to JSON. The gateway's workflows cannot decode it. */
const encoded = (encoding: string, data: string) =>
  RawValue.fromPayload({ metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) });

/** Arguments that are wrong for every signal. */
const odd: unknown[][] = [
  [],
  [null],
  ['text'],
  [0],
  [[]],
  [{}],
  [{ generation: '0', number: '1', dead: 'yes' }],
  [{ generation: 0.5, number: 0.5, dead: 1 }],
  [{ generation: null, number: null, dead: true }],
  [encoded('json/protobuf', '{"generation":0}')],
  [encoded('json/plain', '{"generation":')],
  [encoded('binary/plain', '0')],
];
const schedule = { delaysMs: slowDelaysMs, timeLimitMs: 1_000, holdMs: 1_000, holdLimitMs: 1_000 };
const resume = { attempts: 0, nextAttemptAt: null, settled: false };
/** Arguments that have a part of what the signal needs. */
const incomplete: Record<SignalName, object[]> = {
  ack: [],
  fail: [{ generation: 0 }, { generation: 0, dead: true, accountDeleted: 'yes' }],
  retry: [{ generation: 0 }, { number: 1 }, { generation: 0, number: 0 }],
  replay: [
    { generation: 1 },
    { generation: 1, schedule },
    { generation: 1, resume },
    { generation: 1, schedule: {}, resume: {} },
    { generation: 1, schedule: { ...schedule, delaysMs: ['1s'] }, resume },
    { generation: 1, schedule: { ...schedule, delaysMs: [-1] }, resume },
    { generation: 1, schedule, resume: { ...resume, nextAttemptAt: 'tomorrow' } },
  ],
};

async function signalOddly(id: string, name: SignalName): Promise<void> {
  for (const args of [...odd, ...incomplete[name].map((content) => [content])])
    await stage.workflows.signal(id, name, args);
}

/** The right arguments of each signal, and how the workflow of a pending event ends after it. */
const right: Record<SignalName, { content: object; outcome: object }> = {
  ack: { content: { generation: 0 }, outcome: { outcome: 'acknowledged', generation: 0 } },
  fail: { content: { generation: 0, dead: true }, outcome: { outcome: 'dead', generation: 0 } },
  retry: { content: { generation: 0, number: 1 }, outcome: { outcome: 'delivered', generation: 0 } },
  // The event was not replayed, so its row does not know this generation.
  replay: { content: { generation: 1, schedule, resume }, outcome: { outcome: 'superseded', generation: 1 } },
};

test.each(names)('a waiting workflow ignores %s with wrong arguments, and acts on right ones', async (name) => {
  const ignored = collectLines('signal ignored, its content is not valid');
  const { id, consumer } = await waitingEvent(stage);
  await signalOddly(id, name);
  // The attempt is recorded before the workflow learns its outcome.
  const state = await until('the workflow waits', async () => {
    const now = await stage.workflows.state(id);
    return now.phase === 'waiting' && now.attempts === 1 && now;
  });
  expect(state).toMatchObject({ retries: 0 });
  const sent = odd.length + incomplete[name].length;
  await until('each signal is logged', () => ignored.length >= sent);
  const line = expect.objectContaining({ level: 40, signal: name, workflowId: `event-${id}` });
  // More than were sent when Temporal hands out a task again, whose worker did not answer in time.
  expect(ignored).toEqual(Array(ignored.length).fill(line));
  expect(consumer.deliveries).toHaveLength(1);
  const { runId } = await stage.workflows.status(id);
  await stage.workflows.signal(id, name, [right[name].content]);
  // Another run continues the pending event a second later.
  expect(await stage.workflows.result(id, runId)).toMatchObject(right[name].outcome);
});

test.each(names)('during an attempt, %s with wrong arguments is ignored, and the event is delivered', async (name) => {
  const held = hold();
  const { id } = await stage.sendTo(await stage.consumer(held.reply));
  await held.arrived;
  await signalOddly(id, name);
  expect(await stage.workflows.state(id)).toMatchObject({ phase: 'attempting', attempts: 0, retries: 0 });
  held.answer(200);
  expect(await stage.workflows.result(id)).toEqual({ outcome: 'delivered', generation: 0, attempts: 1 });
  const event = await stage.gateway.admin.eventually(id, (e) => e.delivery_status === 'delivered');
  expect(attemptsOf(event)).toEqual(['0 schedule 1 delivered']);
});

test.each(names)('during an attempt, %s with right arguments takes effect after it', async (name) => {
  const held = hold();
  const { id } = await stage.sendTo(await stage.consumer(held.reply, 200));
  await held.arrived;
  await signalOddly(id, name);
  const { runId } = await stage.workflows.status(id);
  await stage.workflows.signal(id, name, [right[name].content]);
  held.answer(500);
  expect(await stage.workflows.result(id, runId)).toMatchObject(right[name].outcome);
});

test('a closed workflow takes no signal, whatever its arguments are, and the event stays as it is', async () => {
  const { id, event } = await deliveredEvent(stage);
  await stage.workflows.result(id);
  for (const name of names)
    for (const args of [[], ['text'], [{}], [right[name].content]])
      await expect(stage.workflows.signal(id, name, args)).rejects.toThrow(WorkflowNotFoundError);
  expect(await stage.gateway.admin.event(id)).toMatchObject({ status: event.status, attempts: 1, generation: 0 });
});

test('a signal or an update that workflows do not have changes nothing', async () => {
  const { id } = await waitingEvent(stage);
  for (const args of [[], ['text'], [encoded('json/protobuf', '{}')]])
    await stage.workflows.signal(id, 'unknown', args);
  await expect(stage.workflows.update(id, 'unknown', 'text')).rejects.toThrow('Workflow Update failed');
  await until('the workflow waits', async () => (await stage.workflows.state(id)).phase === 'waiting');
  await stage.operate.ack(id);
  expect(await stage.workflows.result(id)).toEqual({ outcome: 'acknowledged', generation: 0, attempts: 1 });
});
