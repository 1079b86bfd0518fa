import { expect, test } from 'vitest';
import { type Turn, TurnGate } from '../../src/delivery/turn-gate.ts';

const limit = 8;
const soonMs = 1_000;
const muchLaterMs = 3_600_000;

const leave = (turn: Turn) => 'leave' in turn && turn.leave();

/** All turns were taken, one more holder was promised one, and the others have left. */
function withPromisedTurn(): TurnGate {
  const gate = new TurnGate(limit);
  const turns = Array.from({ length: limit }, (_, n) => gate.enter('account', `event-${n}`, 0));
  expect(gate.enter('account', 'late', 0)).toEqual({ waitMs: expect.any(Number) });
  for (const turn of turns) leave(turn);
  return gate;
}

/** How many turns the relay gets. */
function forRelay(gate: TurnGate, nowMs: number): number {
  const turns: Turn[] = [];
  for (let turn = gate.enterDirect('account', nowMs); 'leave' in turn; turn = gate.enterDirect('account', nowMs))
    turns.push(turn);
  for (const turn of turns) leave(turn);
  return turns.length;
}

test('while a promised turn is waited for, the relay gets half of them', () => {
  const gate = withPromisedTurn();
  expect(gate.busy(soonMs)).toEqual(new Map([['account', limit / 2]]));
  expect(forRelay(gate, soonMs)).toBe(limit / 2);
});

test('one that nobody comes for, as they asked in another worker, is promised no longer', () => {
  const gate = withPromisedTurn();
  expect(forRelay(gate, muchLaterMs)).toBe(limit);
});

test('nor is its account remembered', () => {
  const gate = withPromisedTurn();
  expect(gate.busy(muchLaterMs)).toEqual(new Map());
});
