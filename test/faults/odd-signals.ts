import { disturbRunning } from './running-workflows.ts';

/** As they are sent by hand: without an argument, a text, another object, and values of other types. */
const odd: unknown[][] = [[], ['text'], [{}], [{ generation: '0', number: '1', dead: 'yes' }]];
const signals = ['ack', 'fail', 'retry', 'replay', 'unknown'].flatMap((name) => odd.map((args) => ({ name, args })));

/** Sends odd signals to running workflows again and again. Returns the function that ends this. */
export const sendOddSignals = (port: number): (() => Promise<void>) =>
  disturbRunning(port, { atOnce: 20, pauseMs: 200 }, async ({ workflow }, { workflowId }) => {
    for (const { name, args } of signals) await workflow.getHandle(workflowId).signal(name, ...args);
  });
