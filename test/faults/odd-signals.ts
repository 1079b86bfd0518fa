import { type ByHand, eventOf } from './by-hand.ts';
import { Random } from './random.ts';
import { disturbRunning } from './running-workflows.ts';
import { attemptsOfSchedule, deliveryTimeoutMs } from './settings.ts';

/** As they are sent by hand: without an argument, a text, another object, and values of other types. */
const odd: unknown[][] = [[], ['text'], [{}], [{ generation: '0', number: '1', dead: 'yes' }]];
const signals = ['ack', 'fail', 'retry', 'replay', 'unknown'].flatMap((name) => odd.map((args) => ({ name, args })));

const schedule = {
  delaysMs: Array.from({ length: attemptsOfSchedule - 1 }, () => 1_000),
  ...{ timeLimitMs: deliveryTimeoutMs, holdMs: 1_000, holdLimitMs: 1_000 },
};
const resume = { attempts: 0, nextAttemptAt: null, settled: false };
/** Far above the number of each scheduled attempt, so that the consumer can tell them apart. */
const firstManual = 1_000;
const wellFormedShare = 0.3;

/** Signals that the gateway could have sent. No event has a replay, so the generation of each is 0. */
const wellFormed: { name: string; content(sent: number): object }[] = [
  { name: 'ack', content: () => ({ generation: 0 }) },
  { name: 'fail', content: () => ({ generation: 0, dead: true }) },
  { name: 'replay', content: () => ({ generation: 1, schedule, resume }) },
  { name: 'retry', content: (sent) => ({ generation: 0, number: firstManual + sent }) },
];

/**
 * Sends odd signals to running workflows again and again, and to some of them one that is right but changes no row. Returns
 * the function that ends this.
 */
export function sendOddSignals(port: number, byHand: ByHand): () => Promise<void> {
  const random = new Random(1);
  let sent = 0;
  return disturbRunning(port, { atOnce: 20, pauseMs: 200 }, async ({ workflow }, { workflowId }) => {
    const handle = workflow.getHandle(workflowId);
    for (const { name, args } of signals) await handle.signal(name, ...args);
    if (!random.chance(wellFormedShare)) return;
    byHand.signalled.add(eventOf(workflowId));
    const { name, content } = random.pick(wellFormed);
    await handle.signal(name, content(sent++));
  });
}
