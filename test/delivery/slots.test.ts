import { expect, onTestFinished, test, vi } from 'vitest';
import { type SlotOrWait, Slots } from '../../src/delivery/slots.ts';

const limit = 8;
const soonMs = 1_000;
const muchLaterMs = 3_600_000;

const release = (slot: SlotOrWait) => 'release' in slot && slot.release();

/** The slots were all acquired, the next one was reserved for a waiting attempt, and then all were released. */
function withReservedSlot(): Slots {
  const slots = new Slots(limit);
  const held = Array.from({ length: limit }, (_, n) => slots.acquire('account', `event-${n}`, 0));
  expect(slots.acquire('account', 'late', 0)).toEqual({ waitMs: expect.any(Number) });
  for (const slot of held) release(slot);
  return slots;
}

/** The number of slots that the relay gets. */
function forRelay(slots: Slots, nowMs: number): number {
  const held: SlotOrWait[] = [];
  for (
    let slot = slots.acquireDirect('account', nowMs);
    'release' in slot;
    slot = slots.acquireDirect('account', nowMs)
  )
    held.push(slot);
  for (const slot of held) release(slot);
  return held.length;
}

test('while a slot is reserved for a waiting attempt, the relay gets half of the slots', () => {
  const slots = withReservedSlot();
  expect(slots.busy(soonMs)).toEqual(new Map([['account', limit / 2]]));
  expect(forRelay(slots, soonMs)).toBe(limit / 2);
});

test('a reserved slot that is not acquired, because the attempt moved to another worker, becomes free', () => {
  const slots = withReservedSlot();
  expect(forRelay(slots, muchLaterMs)).toBe(limit);
});

test('an account that holds no slot is forgotten', () => {
  const slots = withReservedSlot();
  expect(slots.busy(muchLaterMs)).toEqual(new Map());
});

/** An outage of a consumer, on a clock of its own. Its retries ask the processes in turn, as Temporal has any worker make them. */
function outage({ processes, retries, recoversMs }: { processes: number; retries: number; recoversMs: number }) {
  const stepMs = 100;
  const [hangsMs, answersMs] = [15_000, 100];
  const agenda = new Map<number, (() => void)[]>();
  const at = (ms: number, action: () => void) => {
    const step = Math.ceil(ms / stepMs);
    agenda.set(step, [...(agenda.get(step) ?? []), action]);
  };
  const workers = Array.from({ length: processes }, () => new Slots(64));
  const asksMs: number[] = [];
  const deliveredMs: number[] = [];
  const ask = (event: string, nowMs: number) => {
    const worker = workers[asksMs.length % processes];
    asksMs.push(nowMs);
    const slot = worker?.acquire('consumer', event, nowMs);
    if (slot && 'waitMs' in slot) return at(nowMs + slot.waitMs, () => ask(event, performance.now()));
    const tookMs = nowMs < recoversMs ? hangsMs : answersMs;
    at(nowMs + tookMs, () => {
      slot?.release();
      if (tookMs === answersMs) deliveredMs.push(performance.now());
      // The consumer has not answered: the next attempt of the schedule.
      else at(performance.now() + 60_000, () => ask(event, performance.now()));
    });
  };
  for (let n = 0; n < retries; n++) at(n * 10, () => ask(`event-${n}`, performance.now()));
  const clock = vi.spyOn(performance, 'now');
  // The same waits in each run, evenly spread.
  let asks = 0;
  const random = vi.spyOn(Math, 'random').mockImplementation(() => (asks++ * 0.618_034) % 1);
  onTestFinished(() => {
    clock.mockRestore();
    random.mockRestore();
  });
  for (let step = 0; step * stepMs < recoversMs + 600_000; step++) {
    clock.mockReturnValue(step * stepMs);
    for (const action of agenda.get(step) ?? []) action();
    agenda.delete(step);
  }
  return { asksMs, deliveredMs };
}

test.each([1, 2])(
  'after an outage, thousands of retries in %i processes are made within minutes, and ask seldom before',
  (processes) => {
    const [retries, recoversMs] = [6_500, 420_000];
    const { asksMs, deliveredMs } = outage({ processes, retries, recoversMs });
    const soonMs = deliveredMs.filter((ms) => ms < recoversMs + 200_000);
    expect(soonMs.length).toBe(retries);
    const before = asksMs.filter((ms) => ms > recoversMs - 240_000 && ms <= recoversMs);
    expect(before.length / 240 / processes).toBeLessThan(80);
  },
);
