import { expect, onTestFinished, test } from 'vitest';
import { BenchProcess } from '../bench/calls.ts';
import { cpuEach, cpuTimes } from '../bench/cpu.ts';
import { figuresOf } from '../bench/deliver/measure.ts';
import type { BalancerCalls } from './balancer-process.ts';
import { actionsEach, actionsOf } from './cost/temporal-actions.ts';
import { rowOf } from './parts/bench.ts';
import { withoutThese } from './parts/e2e.ts';
import { inFlightOf } from './scale/in-flight.ts';

test('attempts in flight are those that arrived and have not been answered', () => {
  // 40 requests a second for 20 s, each of which takes a second.
  const atMs = Array.from({ length: 800 }, (_, n) => 5_000 + n * 25);
  expect(inFlightOf(atMs, 1_000)).toBe(40);
});

test("actions are summed over the labels of the server's metric", () => {
  const text = [
    '# TYPE action counter',
    'action{action_type="grpc_StartWorkflowExecution",namespace="default"} 3',
    'action{action_type="grpc_StartWorkflowExecution",namespace="other"} 1',
    'action{action_type="command_StartTimer",namespace="default"} 2',
    'queue_actions{action_type="none"} 9',
  ].join('\n');
  const before = actionsOf(text);
  expect([...before]).toEqual([
    ['grpc_StartWorkflowExecution', 4],
    ['command_StartTimer', 2],
  ]);
  const after = new Map([...before, ['command_StartTimer', 12]] as const);
  expect([...actionsEach(before, after, 5)]).toEqual([['command_StartTimer', 2]]);
});

test('the pattern of the tests that run matches all names but the given ones', () => {
  const pattern = new RegExp(withoutThese(['a (b)', 'c']));
  expect(['a (b)', 'c', 'a b', 'cc', 'x c'].map((name) => pattern.test(name))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});

test('the CPU time of the balancer is no part of the gateway', async () => {
  const start = () => {
    const started = new BenchProcess<BalancerCalls>('../cluster/balancer-process.ts');
    onTestFinished(() => started.stop());
    return started;
  };
  const [gateway, balancer] = [start(), start()];
  for (const each of [gateway, balancer]) await each.call('listen', { port: 0 });
  const none = { gateway: 0, balancer: 0, database: 0, engine: 0 };
  const [alone, both] = [cpuTimes([gateway.pid]), cpuTimes([gateway.pid], [balancer.pid])];
  // Other systems have no /proc, which counts the time.
  const isCounted = process.platform === 'linux';
  expect([alone.gateway > 0, alone.balancer, both.balancer > 0]).toEqual([isCounted, 0, isCounted]);
  if (isCounted) expect(both.gateway).toBeLessThan(alone.gateway + both.balancer);
  expect(cpuEach(none, { ...none, gateway: 100, balancer: 50 }, 10)).toMatchObject({ gateway: 10, balancer: 5 });
});

test('the table of the benchmark has a column for the balancer, which is empty without one', () => {
  const noTimes = new Float64Array();
  const sent = { sentMs: noTimes, answeredMs: noTimes, statuses: noTimes };
  const figures = figuresOf(sent, { events: noTimes, statuses: noTimes, atMs: noTimes });
  const cpu = { gateway: 1.25, balancer: 0.5, database: 0, engine: 0 };
  const column = 'CPU ms/event balancer';
  const cluster = rowOf('cluster', { scenario: 'burst', figures: { ...figures, cpu } });
  expect([cluster['CPU ms/event gateway'], cluster[column]]).toEqual(['1.25', '0.50']);
  expect(rowOf('npm start', { scenario: 'burst', figures: { ...figures, cpu: { ...cpu, balancer: 0 } } })[column]).toBe(
    '',
  );
});
