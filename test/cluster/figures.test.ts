import { expect, test } from 'vitest';
import { actionsEach, actionsOf } from './cost/temporal-actions.ts';
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
