import { z } from 'zod';

/** Events a second: the most that an order may ask for, which is also what workers make without a pace. */
const mostPerSecond = 1_000;
/**
 * Events of one transaction: about 0.2 s of work. Recording an attempt of one of these events, and an operator's command
 * on it, wait for that long.
 */
export const eventsABatch = 200;

/** The pace of an order. */
export const perSecond = z.int().min(1).max(mostPerSecond).optional();

/**
 * The most events of a batch, and how far apart the batches begin. In no second there are more batches than have
 * `perSecond` events together, also if one of them has fewer.
 */
export function paceOf(perSecond: number): { events: number; everyS: number } {
  const batches = Math.ceil(perSecond / eventsABatch);
  return { events: Math.floor(perSecond / batches), everyS: 1 / batches };
}
