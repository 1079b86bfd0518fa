import { setTimeout as sleep } from 'node:timers/promises';

const firstMs = 20;
const growth = 1.3;
/** Soon enough for conditions that take seconds, without using the processor that they need. */
const longestMs = 250;

/** Pauses between checks of a condition that takes an unknown time. Each pause is longer than the one before. */
export function growingPauses(): () => Promise<void> {
  let nextMs = firstMs;
  return () => {
    const ms = nextMs;
    nextMs = Math.min(ms * growth, longestMs);
    return sleep(ms);
  };
}
