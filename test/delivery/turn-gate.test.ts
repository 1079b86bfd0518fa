import { expect, test } from 'vitest';
import { type Turn, TurnGate } from '../../src/delivery/turn-gate.ts';

const limit = 8;
const soonMs = 1_000;
const muchLaterMs = 3_600_000;

const leave = (turn: Turn) => 'leave' in turn && turn.leave();

/** A gate whose turns were all taken; one waiting attempt was promised the next turn, and then all turns ended. */
function withPromisedTurn(): TurnGate {
  const gate = new TurnGate(limit);
  const turns = Array.from({ length: limit }, (_, n) => gate.enter('account', `event-${n}`, 0));
  expect(gate.enter('account', 'late', 0)).toEqual({ waitMs: expect.any(Number) });
  for (const turn of turns) leave(turn);
  return gate;
}

/** The number of turns that the relay gets. */
function forRelay(gate: TurnGate, nowMs: number): number {
  const turns: Turn[] = [];
  for (let turn = gate.enterDirect('account', nowMs); 'leave' in turn; turn = gate.enterDirect('account', nowMs))
    turns.push(turn);
  for (const turn of turns) leave(turn);
  return turns.length;
}

test('while a turn is promised to a waiting attempt, the relay gets half of the turns', () => {
  const gate = withPromisedTurn();
  expect(gate.busy(soonMs)).toEqual(new Map([['account', limit / 2]]));
  expect(forRelay(gate, soonMs)).toBe(limit / 2);
});

test('a promised turn that is not taken, because the attempt moved to another worker, becomes free', () => {
  const gate = withPromisedTurn();
  expect(forRelay(gate, muchLaterMs)).toBe(limit);
});

test('an account without turns is forgotten', () => {
  const gate = withPromisedTurn();
  expect(gate.busy(muchLaterMs)).toEqual(new Map());
});
