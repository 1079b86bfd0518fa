import { setTimeout as sleep } from 'node:timers/promises';

const firstMs = 20;
const growth = 1.3;
/** What takes seconds is seen soon enough, and looks at it cost little of the processor that it needs itself. */
const longestMs = 250;

/** Pauses between looks at something that takes an unknown time: short ones at first, longer the longer it takes. */
export function growingPauses(): () => Promise<void> {
  let nextMs = firstMs;
  return () => {
    const ms = nextMs;
    nextMs = Math.min(ms * growth, longestMs);
    return sleep(ms);
  };
}
